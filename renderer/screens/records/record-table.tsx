import { ArrowDown, ArrowUp } from 'lucide-react'
import type { FieldDef, RecordView } from '../../data/records.ts'
import { locale, useNow } from '../../state/locale.ts'
import { dateAndTime, listDate } from '../../text/when.ts'
import { FieldText } from './field-text.tsx'
import { RECORDS as say } from './strings.ts'

export interface Sort {
  readonly by: string
  readonly dir: 'asc' | 'desc'
}

interface TableProps {
  readonly label: string
  readonly fields: readonly FieldDef[]
  readonly records: readonly RecordView[]
  readonly sort: Sort
  readonly chosen: string | null
  readonly onSort: (sort: Sort) => void
  readonly onChoose: (record: RecordView) => void
}

const isNumber = ({ type }: FieldDef): boolean => type === 'number' || type === 'integer'

/** Records in a table, a column for each field. */
export function RecordTable({ label, fields, records, sort, chosen, onSort, onChoose }: TableProps) {
  const now = useNow()
  const header = (by: string, name: string, numeric = false) => <Header key={by} {...{ by, name, numeric, sort, onSort }} />
  return (
    <table className="records" aria-label={label}>
      <thead>
        <tr>
          {header('$record_key', say.key)}
          {fields.map((field) => header(field.name, field.name, isNumber(field)))}
          {header('$created_at', say.changed)}
        </tr>
      </thead>
      <tbody>
        {records.map((record) => (
          <tr key={record.record_id} className={record.record_id === chosen ? 'on' : undefined} onClick={() => onChoose(record)}>
            {/* oxlint-disable-next-line jsx-a11y/control-has-associated-label -- the cell's button is its label */}
            <th scope="row">
              <button
                type="button"
                className="record-key"
                aria-current={record.record_id === chosen ? 'true' : undefined}
                onClick={() => onChoose(record)}
              >
                <bdi>{record.record_key}</bdi>
              </button>
            </th>
            {fields.map((field) => (
              <td key={field.name} className={isNumber(field) ? 'num end' : undefined}>
                <FieldText held={record.fields[field.name]} />
              </td>
            ))}
            <td className="nw">
              <time dateTime={record.created_at} title={dateAndTime(record.created_at, locale)}>
                {listDate(record.created_at, now, locale)}
              </time>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface HeaderProps {
  readonly by: string
  readonly name: string
  readonly numeric: boolean
  readonly sort: Sort
  readonly onSort: (sort: Sort) => void
}

function Header({ by, name, numeric, sort, onSort }: HeaderProps) {
  const on = sort.by === by
  // What is newest or greatest is looked for first.
  const first = numeric || by === '$created_at' ? 'desc' : 'asc'
  const next = on ? (sort.dir === 'asc' ? 'desc' : 'asc') : first
  return (
    <th scope="col" className={numeric ? 'end' : undefined} aria-sort={on ? (sort.dir === 'asc' ? 'ascending' : 'descending') : 'none'}>
      <button type="button" title={say.sortBy(name)} onClick={() => onSort({ by, dir: next })}>
        <bdi>{name}</bdi>
        {on && (sort.dir === 'asc' ? <ArrowUp aria-hidden="true" /> : <ArrowDown aria-hidden="true" />)}
      </button>
    </th>
  )
}
