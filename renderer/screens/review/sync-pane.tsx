import { useEffect, useRef } from 'react'
import { ConflictVerdict, Status } from '../../../shared/contract/common.ts'
import type { InboxChoice, InboxItem } from '../../../shared/contract/ops/sync/inbox.ts'
import { choicesOf, mainOf, type SyncItem } from '../../data/inbox.ts'
import { useSync } from '../../data/sync.ts'
import { Problem } from '../../parts/notes.tsx'
import { useNow } from '../../state/locale.ts'
import { STATUS_WORDS, VERDICT_WORDS } from '../../text/plain-words.ts'
import { ItemBar } from './item-bar.tsx'
import { SyncSides } from './sync-side.tsx'
import { SYNC as say } from './sync-strings.ts'
import type { Review } from './use-review.ts'

interface SyncPaneProps {
  readonly of: SyncItem
  readonly review: Review
  readonly bar: boolean
  readonly onMove: (by: number) => void
  readonly onOpen: () => void
}

const KEYS: Readonly<Record<InboxChoice, string>> = { mine: '1', accept: '2', retry: 'R' }
/** What the server settled otherwise: both texts, the reason, and the choice. */
export function SyncPane({ of: { id, item }, review, bar, onMove, onOpen }: SyncPaneProps) {
  const choices = choicesOf(item)
  const names = say.choices(item)
  const now = useNow()
  const offline = useSync().data?.state === 'offline'
  const seen = useRef(id)
  useEffect(() => {
    if (seen.current !== id) document.querySelector('.reader-scroll')?.scrollTo({ top: 0 })
    seen.current = id
  }, [id])
  const { namespace, org } = item.identity
  return (
    <article className="body">
      <ItemBar review={review} bar={bar} onMove={onMove}>
        {say.badge}
        {namespace && (
          <>
            {' · '}
            <bdi>
              {org}/{namespace}
            </bdi>
          </>
        )}
      </ItemBar>
      {item.memory_key && (
        <p className="sync-key">
          <button type="button" className="link key" onClick={onOpen}>
            <bdi>{item.memory_key}</bdi>
          </button>
        </p>
      )}
      <h1 className="title">{say.titles[item.change]}</h1>
      <p className="lead">{say.lead(item)}</p>
      {item.change !== 'erased' && <SyncSides item={item} now={now} />}
      <Reasons item={item} />
      <Problem text={review.refusal} />
      <div className="acts choices">
        {choices.map((choice) => (
          <button
            key={choice}
            type="button"
            className={choice === mainOf(item) ? 'btn pri' : 'btn'}
            onClick={() => void review.decideSync(choice)}
          >
            <kbd aria-hidden="true">{KEYS[choice]}</kbd> {names[choice]}
          </button>
        ))}
      </div>
      <ul className="does">
        {choices.map((choice) => (
          <li key={choice}>{say.does(item, choice)}</li>
        ))}
      </ul>
      <AllLost item={item} review={review} />
      {offline && <p className="note strip-top">{say.offline}</p>}
    </article>
  )
}

function judgedWords(verdict: string, status: string): string {
  const known = ConflictVerdict.safeParse(verdict)
  if (known.success && known.data !== '') return `${VERDICT_WORDS[known.data]}.`
  const state = Status.safeParse(status)
  return state.success ? `${STATUS_WORDS[state.data]}.` : ''
}

function Reasons({ item }: { item: InboxItem }) {
  const { message, peers, mine, server, change } = item
  const judged = server && change === 'verdict_changed' ? judgedWords(server.conflict_verdict, server.status) : ''
  const here = judged && judgedWords(mine.conflict_verdict, mine.status)
  if (!message && !judged && !peers.length) return null
  return (
    <dl className="judge">
      {message && (
        <>
          <dt>{say.why}</dt>
          <dd dir="auto">{message}</dd>
        </>
      )}
      {judged && (
        <>
          {here && (
            <>
              <dt>{say.judgedHere}</dt>
              <dd>{here}</dd>
            </>
          )}
          <dt>{say.judgedThere}</dt>
          <dd>{judged}</dd>
        </>
      )}
      {peers.length > 0 && (
        <>
          <dt>{say.against}</dt>
          <dd>
            <ul className="peers">
              {peers.map((peer) => (
                <li key={peer.memory_id}>
                  <code>
                    <bdi>{peer.memory_key}</bdi>
                  </code>{' '}
                  <bdi>{peer.excerpt}</bdi>
                </li>
              ))}
            </ul>
          </dd>
        </>
      )}
    </dl>
  )
}

/** After a server was set back, hundreds may be lost at once: they are decided together. */
function AllLost({ item, review }: { item: InboxItem; review: Review }) {
  const lost = review.items.filter((one) => one.kind === 'sync' && one.item.change === 'lost_on_server').length
  if (item.change !== 'lost_on_server' || lost < 2) return null
  return (
    <div className="acts all-lost">
      <span>{say.all(lost)}</span>
      <button type="button" className="btn sm" onClick={() => void review.decideSync('mine', true)}>
        {say.allMine}
      </button>
      <button type="button" className="btn sm" onClick={() => void review.decideSync('accept', true)}>
        {say.allAccept}
      </button>
    </div>
  )
}
