import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient } from '../../data/client.tsx'
import { useApps } from '../../data/apps.ts'
import { searchInput, type Filter } from '../../data/filter.ts'
import { HOME_NAMESPACE } from '../../data/namespaces.ts'
import { useSamples } from '../../data/samples.ts'
import { useMaySync } from '../../data/sync.ts'
import { Empty } from '../../parts/list-states.tsx'
import { pathOf } from '../../state/route.ts'
import { useUndo } from '../../state/undo.tsx'
import { messageOf } from '../../text/message-of.ts'
import { LIST as say } from './strings.ts'

interface NothingProps {
  readonly filter: Filter
  readonly held: number | null
  readonly manyNamespaces: boolean
  readonly reason: string
  readonly onFilter: (change: Partial<Filter>) => void
  /** What is typed goes along: the results may be those of fewer letters. */
  readonly onWrite: () => void
}

const isFiltered = (filter: Filter): boolean => filter.status !== 'current' || filter.type !== '' || filter.tag !== ''
const NONE = { status: 'current', type: '', tag: '' } as const

/** What stands in the list's place when it has no row: the cause, and the next step. */
export function Nothing(props: NothingProps) {
  const { filter, onFilter, onWrite } = props
  if (filter.query) return <NothingFound {...props} />
  if (filter.status === 'tombstoned' && !filter.tag && !filter.type) {
    return (
      <Empty title={say.noneDeleted} text={say.noneDeletedNext}>
        <button type="button" className="btn" onClick={() => onFilter(NONE)}>
          {say.showCurrent}
        </button>
      </Empty>
    )
  }
  if (isFiltered(filter)) {
    return (
      <Empty title={say.noneHere} text="">
        <button type="button" className="btn pri" onClick={() => onFilter(NONE)}>
          {say.clearFilters}
        </button>
      </Empty>
    )
  }
  return <NoMemories namespace={filter.namespace} onWrite={onWrite} />
}

function NothingFound({ filter, held, manyNamespaces, reason, onFilter, onWrite }: NothingProps) {
  const client = useClient()
  const elsewhere = useQuery({
    queryKey: ['elsewhere', filter.query],
    enabled: manyNamespaces && !filter.everywhere,
    queryFn: async ({ signal }) =>
      (await client.memory.search({ ...searchInput({ ...filter, everywhere: true, type: '', tag: '' }, null), top_k: 1 }, { signal }))
        .results.length > 0,
  })
  const looked = filter.everywhere ? say.lookedEverywhere : held === null ? reason : say.looked(held, filter.namespace)
  return (
    <Empty title={say.nothingNear} text={[looked, isFiltered(filter) ? say.filtersHide : ''].filter(Boolean).join(' ')}>
      {elsewhere.data && (
        <button type="button" className="btn pri" onClick={() => onFilter({ ...NONE, everywhere: true })}>
          {say.searchEverywhere}
        </button>
      )}
      {isFiltered(filter) && (
        <button type="button" className="btn" onClick={() => onFilter(NONE)}>
          {say.clearFilters}
        </button>
      )}
      <button type="button" className="btn" onClick={onWrite}>
        {say.writeItDown}
      </button>
    </Empty>
  )
}

/** Three ways on, none of them a dead end. */
function NoMemories({ namespace, onWrite }: { namespace: string; onWrite: () => void }) {
  const may = useMaySync()
  const found = useApps().data?.apps.filter((app) => app.state !== 'absent').length ?? 0
  return (
    <div className="rows">
      <div className="empty">
        <h1>{say.empty}</h1>
        <p>{say.emptyNext}</p>
        <ul className="ways">
          <li>
            <b>{say.writeOne}</b>
            <span>{say.writeOneHow}</span>
            <button type="button" className="btn sm pri" onClick={onWrite}>
              {say.write} <kbd aria-hidden="true">N</kbd>
            </button>
          </li>
          {may === true && (
            <li>
              <b>{say.connectApp}</b>
              <span>{say.connectAppHow(found)}</span>
              <a className="btn sm" href={`#${pathOf({ screen: 'agents', namespace, id: 'apps' })}`}>
                {say.connect}
              </a>
            </li>
          )}
          {may === true && namespace === HOME_NAMESPACE && <AddSamples />}
        </ul>
      </div>
    </div>
  )
}

function AddSamples() {
  const samples = useSamples()
  const { say: tell } = useUndo()
  const [busy, setBusy] = useState(false)
  const add = async (): Promise<void> => {
    setBusy(true)
    try {
      await samples.add()
    } catch (error) {
      tell({ said: messageOf(error), failed: true })
    } finally {
      setBusy(false)
    }
  }
  return (
    <li>
      <b>{say.lookAround}</b>
      <span>{say.lookAroundHow}</span>
      <button type="button" className="btn sm" disabled={busy} onClick={() => void add()}>
        {say.addSamples}
      </button>
    </li>
  )
}
