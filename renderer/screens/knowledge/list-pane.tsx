import { useCollections, useDocuments, useKnowledgeSearch } from '../../data/knowledge.ts'
import { Failed } from '../../parts/list-states.tsx'
import { locale, useNow } from '../../state/locale.ts'
import { count } from '../../text/when.ts'
import { addressOf } from './cite.ts'
import { DocumentRow, HitRow } from './rows.tsx'
import { KNOWLEDGE as say } from './strings.ts'

interface PaneProps {
  readonly namespace: string
  readonly collection: string
  readonly query: string
  readonly address: string
  readonly onCollection: (collection: string) => void
  readonly onOpen: (address: string) => void
  readonly onAdd: () => void
}

export function Collections({ namespace, collection, onCollection }: Pick<PaneProps, 'namespace' | 'collection' | 'onCollection'>) {
  const collections = useCollections(namespace).data?.collections ?? []
  if (collections.length < 2) return null
  const chip = (name: string, label: string, amount: number) => (
    <button
      key={name}
      type="button"
      className={name === collection ? 'chip on' : 'chip'}
      aria-pressed={name === collection}
      onClick={() => onCollection(name)}
    >
      <span>
        <bdi>{label}</bdi>
      </span>
      <b>{count(amount, locale)}</b>
    </button>
  )
  const all = collections.reduce((sum, one) => sum + one.documents, 0)
  return (
    <div className="chips" role="group" aria-label={say.collections}>
      {chip('', say.all, all)}
      {collections.map((one) => chip(one.collection, one.collection, one.documents))}
    </div>
  )
}

/** Documents while browsing, passages while searching. */
export function DocumentsPane(props: PaneProps) {
  return props.query === '' ? <Browsing {...props} /> : <Searching {...props} />
}

function Meta({ left, right }: { left: string; right: string }) {
  return (
    <div className="meta">
      <span role="status">{left}</span>
      <span>{right}</span>
    </div>
  )
}

function Browsing({ namespace, collection, address, onOpen, onAdd }: PaneProps) {
  const documents = useDocuments(namespace, collection)
  const rows = documents.data?.pages.flatMap((page) => page.documents) ?? []
  const total = documents.data?.pages[0]?.total ?? 0
  const now = useNow()
  if (documents.isPending) return <Meta left={say.opening} right="" />
  if (documents.isError) return <Failed title={say.failed} message={documents.error.message} onRetry={() => void documents.refetch()} />
  return (
    <>
      <Meta left={say.documents(total)} right={total > 0 ? say.newest : ''} />
      {rows.length === 0 ? (
        <div className="empty">
          <h2>{say.none}</h2>
          <p>{say.noneNext}</p>
          <div className="acts">
            <button type="button" className="btn pri" onClick={onAdd}>
              {say.add}
            </button>
          </div>
        </div>
      ) : (
        <ul className="doc-rows" aria-label={say.pane}>
          {rows.map((row) => (
            <DocumentRow
              key={row.document_id}
              document={row}
              now={now}
              active={address.split(':')[0] === row.document_id}
              onChoose={() => onOpen(addressOf(row.document_id))}
            />
          ))}
          {documents.hasNextPage && (
            <li className="more">
              <button type="button" className="btn" disabled={documents.isFetchingNextPage} onClick={() => void documents.fetchNextPage()}>
                {say.more}
              </button>
            </li>
          )}
        </ul>
      )}
    </>
  )
}

function Searching({ namespace, collection, query, address, onOpen }: PaneProps) {
  const found = useKnowledgeSearch(namespace, collection, query)
  if (found.isPending) return <Meta left={say.searching} right="" />
  if (found.isError) return <Failed title={say.failed} message={found.error.message} onRetry={() => void found.refetch()} />
  const { results, abstain_reason: reason, degraded } = found.data
  return (
    <>
      {degraded.includes('embedder') && <p className="note strip">{say.wordsOnly}</p>}
      <Meta left={say.passages(results.length)} right={results.length > 0 ? say.ranked : ''} />
      {results.length === 0 ? (
        <div className="empty">
          <h2>{say.nothing}</h2>
          <p>{reason}</p>
        </div>
      ) : (
        <ul className="doc-rows" aria-label={say.pane}>
          {results.map((hit) => {
            const at = addressOf(hit.document_id, hit.chunk)
            return <HitRow key={at} hit={hit} active={address === at} onChoose={() => onOpen(at)} />
          })}
        </ul>
      )}
    </>
  )
}
