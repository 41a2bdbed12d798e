import { useRecordHistory, type FieldDef, type RecordView } from '../../data/records.ts'
import { locale } from '../../state/locale.ts'
import { dateAndTime } from '../../text/when.ts'
import { FieldText } from './field-text.tsx'
import { DETAILS as say } from './strings.ts'

interface DetailsProps {
  readonly namespace: string
  readonly record: RecordView
  readonly fields: readonly FieldDef[]
  readonly onClose: () => void
}

/** One record: its fields, where it comes from, and every version of it. */
export function RecordDetails({ namespace, record, fields, onClose }: DetailsProps) {
  const from: readonly (readonly [string, string])[] = [
    [say.by, record.actor],
    [say.agent, record.agent],
    [say.user, record.user_id === '-' ? '' : record.user_id],
    [say.run, record.run_id],
    [say.source, record.source_trace || record.source_resource_id],
    [say.first, dateAndTime(record.first_created_at, locale)],
  ]
  return (
    <aside className="record-details" aria-label={say.label} data-pane tabIndex={-1}>
      <header>
        <h2 className="mono">
          <bdi>{record.record_key}</bdi>
        </h2>
        <button type="button" className="btn sm" onClick={onClose}>
          {say.close} <kbd aria-hidden="true">Esc</kbd>
        </button>
      </header>
      <h3>{say.fields}</h3>
      <dl>
        {fields.map((field) => (
          <div key={field.name}>
            <dt title={field.description || undefined}>{field.name}</dt>
            <dd>
              <FieldText held={record.fields[field.name]} />
            </dd>
          </div>
        ))}
      </dl>
      <p className="qq s">{say.key[record.key_source]}</p>
      <dl className="from">
        {from
          .filter(([, text]) => text !== '')
          .map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <bdi>{text}</bdi>
              </dd>
            </div>
          ))}
      </dl>
      <h3>{say.history}</h3>
      <History {...{ namespace, record, fields }} />
    </aside>
  )
}

function History({ namespace, record, fields }: Omit<DetailsProps, 'onClose'>) {
  const { data } = useRecordHistory(namespace, record)
  if (!data) return <p className="qq s">{say.opening}</p>
  return (
    <ol className="record-history">
      {data.versions.map((version, at) => (
        <Version key={version.version_text} version={version} before={data.versions[at + 1] ?? null} fields={fields} />
      ))}
    </ol>
  )
}

function Version({ version, before, fields }: { version: RecordView; before: RecordView | null; fields: readonly FieldDef[] }) {
  const isFirst = before === null || before.status === 'tombstoned'
  const changed = isFirst || version.status === 'tombstoned' ? [] : fields.filter(({ name }) => differs(version, before, name))
  return (
    <li>
      <p>
        <time dateTime={version.created_at}>{dateAndTime(version.created_at, locale)}</time>
        <span className={version.status === 'active' ? 'state on' : 'state'}>{say.statuses[version.status]}</span>
      </p>
      <p className="qq s">
        <bdi>{version.actor}</bdi>
      </p>
      {version.status === 'tombstoned' ? <p className="s">{say.deleted}</p> : isFirst && <p className="s">{say.created}</p>}
      {changed.map(({ name }) => (
        <p key={name} className="s change">
          <span className="qq">{name}</span> <FieldText held={before?.fields[name]} /> <span aria-hidden="true">→</span>{' '}
          <FieldText held={version.fields[name]} />
        </p>
      ))}
    </li>
  )
}

function differs(a: RecordView, b: RecordView, name: string): boolean {
  const [one, other] = [a.fields[name], b.fields[name]]
  return one?.state !== other?.state || one?.value !== other?.value
}
