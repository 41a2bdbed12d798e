import { useAround } from '../../data/queries.ts'
import { relatedBecause } from '../../text/plain-words.ts'
import { AROUND as say } from './strings.ts'

interface AroundProps {
  readonly namespace: string
  readonly id: string
  readonly onOpen: (id: string) => void
}

interface Neighbour {
  readonly memory_key: string
  readonly memory_id: string
  readonly excerpt: string
  readonly why: string
}

/** What is tied to a memory: rows around it, and rows that gave way to it, repeat it or were built from it. */
export function Around({ namespace, id, onOpen }: AroundProps) {
  const { data } = useAround(namespace, id)
  if (!data) return null
  const leading = data.backlinks.related.map((row): Neighbour => ({ ...row, why: row.why.join('; ') }))
  const known = new Set(leading.map((row) => row.memory_id))
  const related = data.related
    .filter((row) => !known.has(row.memory_id))
    .map((row): Neighbour => ({ ...row, why: relatedBecause(row.why) }))
  const { evidence_count: evidence, digests } = data.backlinks
  return (
    <>
      <Neighbours label={say.related} rows={related} onOpen={onOpen} />
      <Neighbours label={say.leading} rows={leading} onOpen={onOpen} />
      {(evidence > 0 || digests.length > 0) && (
        <p className="origin">
          {[evidence > 0 ? say.evidence(evidence) : '', digests.length > 0 ? say.digests(digests.length) : ''].filter(Boolean).join(' ')}
        </p>
      )}
    </>
  )
}

function Neighbours({ label, rows, onOpen }: { label: string; rows: readonly Neighbour[]; onOpen: (id: string) => void }) {
  if (rows.length === 0) return null
  return (
    <section aria-label={label}>
      <h2 className="h3">{label}</h2>
      <ul className="around">
        {rows.map((row) => (
          <li key={row.memory_id}>
            <button type="button" className="link" onClick={() => onOpen(row.memory_id)}>
              <bdi>{row.memory_key}</bdi>
            </button>
            {row.excerpt && (
              <span className="said" dir="auto">
                {row.excerpt}
              </span>
            )}
            <span className="by">
              <bdi>{row.why}</bdi>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
