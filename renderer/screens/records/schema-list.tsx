import type { SchemaRow } from '../../data/records.ts'
import { locale } from '../../state/locale.ts'
import { pathOf } from '../../state/route.ts'
import { count } from '../../text/when.ts'
import { RECORDS as say } from './strings.ts'

/** Schemas of the namespace, with how many records each has. */
export function SchemaList({ namespace, schemas, current }: { namespace: string; schemas: readonly SchemaRow[]; current: string }) {
  return (
    <nav className="sections" aria-label={say.schemas}>
      <ul>
        {schemas.map((row) => (
          <li key={row.schema}>
            <a
              className={row.schema === current ? 'on' : undefined}
              aria-current={row.schema === current ? 'page' : undefined}
              href={`#${pathOf({ screen: 'records', namespace, id: row.schema })}`}
              title={row.description || undefined}
            >
              {row.schema}
              <span>
                {row.status === 'active' ? <b aria-label={say.records(row.records)}>{count(row.records, locale)}</b> : say.proposed}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
