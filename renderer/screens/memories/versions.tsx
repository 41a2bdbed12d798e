import type { OutputOf } from '../../../shared/contract/registry.ts'
import type { Version } from '../../../shared/contract/row.ts'
import { Changes } from '../../parts/marked.tsx'
import { locale } from '../../state/locale.ts'
import { actorName, operationWords } from '../../text/plain-words.ts'
import { readableValue } from '../../text/value-text.ts'
import { dateAndTime, fullDate, timeOfDay } from '../../text/when.ts'
import { READER as say } from './strings.ts'

interface VersionsProps {
  readonly history: OutputOf<'memory.history'>
  /** Values of a sensitive memory are not shown until asked for. */
  readonly hidden: boolean
  readonly you: string
}

const LONG = 600

/** The line below says it all: a retirement has no text of its own, and the only version is the text above. */
const isSaidByOp = (version: Version, versions: number): boolean => version.op === 'memory.delete' || versions === 1

/** Every version, newest first, each as what it changed. */
export function Versions({ history, hidden, you }: VersionsProps) {
  const { rows, next_cursor: more } = history
  return (
    <section aria-label={say.versions}>
      <h2 className="h3" id="versions" tabIndex={-1}>
        {say.versions}
      </h2>
      <ol className="hist">
        {rows.map((version, at) => (
          <li key={version.version_text}>
            <time dateTime={version.updated_at} title={`${dateAndTime(version.updated_at, locale)} · ${version.version_text}`}>
              {fullDate(version.updated_at, locale)}
            </time>
            {!isSaidByOp(version, rows.length) && <VersionText version={version} before={rows[at + 1]} hidden={hidden} />}
            <span className="by">
              {rows.length === 1 ? say.firstWritten : operationWords(version.op)} by{' '}
              <bdi>{version.actor === you ? 'you' : actorName(version.actor)}</bdi>
              {version.source_resource_id && (
                <>
                  {' '}
                  from <bdi>{version.source_resource_id}</bdi>
                </>
              )}
              , {timeOfDay(version.updated_at, locale)}
            </span>
          </li>
        ))}
      </ol>
      {more && <p className="s qq">{say.olderVersions}</p>}
    </section>
  )
}

interface VersionTextProps {
  readonly version: Version
  readonly before: Version | undefined
  readonly hidden: boolean
}

function VersionText({ version, before, hidden }: VersionTextProps) {
  if (version.redacted) return <span className="q">{say.scrubbed}</span>
  const same = before !== undefined && before.content_sha256 === version.content_sha256
  if (same) {
    const changed = version.changed.filter((field) => !['version', 'updated_at'].includes(field))
    return (
      <span className="q">
        {changed.length ? say.sameText(changed.map((field) => field.replaceAll('_', ' ')).join(', ')) : operationWords(version.op)}
      </span>
    )
  }
  if (hidden) return <span className="q">…</span>
  const { text, kind } = readableValue(version.value)
  const className = `said${text.length > LONG ? ' long' : ''}${kind === 'json' ? ' json' : ''}`
  return (
    <span className={className} dir={kind === 'json' ? 'ltr' : 'auto'}>
      {!before ? text : <Changes before={readableValue(before.value).text} after={text} />}
    </span>
  )
}
