import { useState } from 'react'
import { useRecords, type Question, type RecordView, type SchemaRow } from '../../data/records.ts'
import { useWindowKeys } from '../../state/keys.ts'
import { FilterBar } from './filter-bar.tsx'
import { RecordDetails } from './record-details.tsx'
import { RecordTable, type Sort } from './record-table.tsx'
import { EXPORT, RECORDS as say } from './strings.ts'
import { useExport } from './use-export.ts'
import { predicateOf, type Filter } from './where.ts'

const NEWEST: Sort = { by: '$created_at', dir: 'desc' }

/** The records of one schema: filtered, sorted, looked into, taken along. */
export function RecordsPane({ namespace, schema, onBack }: { namespace: string; schema: SchemaRow; onBack: () => void }) {
  const [filters, setFilters] = useState<readonly Filter[]>([])
  const [sort, setSort] = useState(NEWEST)
  const [chosen, setChosen] = useState<RecordView | null>(null)
  const { fields } = schema
  const isActive = schema.status === 'active'
  const question: Question = { namespace, schema: schema.schema, where: predicateOf(filters, fields), order_by: [sort] }
  const { data, error, isPending, hasNextPage, fetchNextPage } = useRecords(isActive ? question : null)
  const saving = useExport()
  const records = data?.pages.flatMap((page) => page.records) ?? []
  const total = data?.pages[0]?.total ?? records.length
  // What was chosen is read again with the table.
  const shown = chosen && (records.find((record) => record.record_id === chosen.record_id) ?? chosen)
  useWindowKeys({ Escape: () => (chosen ? setChosen(null) : onBack()) })
  return (
    <div className={shown ? 'records-pane with-details' : 'records-pane'}>
      <div className="records-main" role="region" aria-label={say.table} tabIndex={-1} data-pane>
        <header className="records-head">
          <h1>{schema.schema}</h1>
          <p className="qq" role="status">
            {isActive && data && say.shown(records.length, total)}
          </p>
          <button
            type="button"
            className="btn sm"
            disabled={!isActive || total === 0 || saving.running !== null}
            onClick={() => void saving.run(question, fields)}
          >
            {saving.running === null ? EXPORT.csv : EXPORT.running(saving.running)}
          </button>
          {schema.description && <p className="q about">{schema.description}</p>}
        </header>
        {isActive && <FilterBar {...{ fields, filters }} onFilters={setFilters} />}
        {!isActive && <p className="q records-note">{say.proposedLong}</p>}
        {isActive && isPending && <p className="q records-note">{say.opening}</p>}
        {error && (
          <p className="q records-note" role="alert">
            {say.failed(error.message)}
          </p>
        )}
        {records.length > 0 && (
          <div className="records-scroll">
            <RecordTable
              label={schema.schema}
              {...{ fields, records, sort }}
              chosen={shown?.record_id ?? null}
              onSort={setSort}
              onChoose={setChosen}
            />
            {hasNextPage && (
              <button type="button" className="btn more" onClick={() => void fetchNextPage()}>
                {say.more}
              </button>
            )}
          </div>
        )}
        {data && records.length === 0 && (
          <p className="q records-note">
            {filters.length === 0 ? say.empty : say.nothing}{' '}
            {filters.length > 0 && (
              <button type="button" className="btn text a" onClick={() => setFilters([])}>
                {say.clear}
              </button>
            )}
          </p>
        )}
      </div>
      {shown && <RecordDetails {...{ namespace, fields }} record={shown} onClose={() => setChosen(null)} />}
    </div>
  )
}
