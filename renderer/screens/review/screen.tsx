import { useEffect, useRef, useState } from 'react'
import { useLiveUpdates, useRecovery } from '../../data/live.ts'
import type { InboxChoice } from '../../../shared/contract/ops/sync/inbox.ts'
import type { SyncItem } from '../../data/inbox.ts'
import { isOneKey, type Choice } from '../../data/pair.ts'
import type { Decision } from '../../data/proposal.ts'
import type { OpenItem } from '../../data/queue.ts'
import { useNamespaces } from '../../data/namespaces.ts'
import { useEngineInfo } from '../../data/queries.ts'
import { ReaderBar, TopBar } from '../../parts/narrow-bars.tsx'
import type { ScreenProps } from '../../parts/sections-screen.tsx'
import { UndoBar } from '../../parts/undo-bar.tsx'
import { useWindowKeys } from '../../state/keys.ts'
import { ONE_PANE, useMedia } from '../../state/media.ts'
import { focusNextPane, inReader } from '../../state/panes.ts'
import { useRoute } from '../../state/route.ts'
import { useUndo } from '../../state/undo.tsx'
import { PairPane } from './pair-pane.tsx'
import { ProposalPane } from './proposal-pane.tsx'
import { QueuePane } from './queue-pane.tsx'
import { PAIR, QUEUE } from './strings.ts'
import { SyncPane } from './sync-pane.tsx'
import { useOpenOnSync } from './use-open-on-sync.ts'
import { useReview, type Review } from './use-review.ts'
import { Zero } from './zero.tsx'

interface ReviewProps extends ScreenProps {
  readonly onNamespace: (namespace: string) => void
  /** The page of an admin: conflicts and proposals, on a tab each. */
  readonly tabs: boolean
}

/** Settle what the judge left open and what the team's server settled otherwise, one after another. */
export function ReviewScreen({ namespace, onNamespace, onWrite, onKeys, onMenu, tabs }: ReviewProps) {
  const onePane = useMedia(ONE_PANE)
  const [route, navigate] = useRoute()
  const review = useReview(namespace, route.id, tabs ? 'conflict' : 'all')
  const info = useEngineInfo().data
  const namespaces = useNamespaces().data ?? []
  const { undo } = useUndo()
  useRecovery()
  useLiveUpdates(() => true)

  const you = info ? `${info.principal.kind}:${info.principal.subject}` : ''
  const reading = onePane && route.id !== ''
  const shown = review.item?.id ?? ''

  // An address that names an item (a link, or back and forward) chooses it.
  const [seenId, setSeenId] = useState(route.id)
  if (route.id !== seenId) {
    setSeenId(route.id)
    if (route.id) review.choose(route.id)
  }
  useEffect(() => {
    // On one pane the address names what is open, and follows when another takes its place.
    if (reading && !review.queue.loading && route.id !== shown) navigate({ screen: 'review', namespace, id: shown }, { replace: true })
  }, [reading, review.queue.loading, route.id, shown, namespace, navigate])
  useEffect(() => {
    document.title = `${QUEUE.title} · Loom`
  }, [])
  const before = useRef('')
  useEffect(() => {
    // The buttons that had the focus went with the last pair.
    const emptied = before.current !== '' && shown === ''
    if (emptied && document.activeElement === document.body) document.querySelector<HTMLElement>('.reader-scroll')?.focus()
    before.current = shown
  }, [shown])

  const move = (by: number): void => void review.move(by)
  const openMemory = (id: string): void => navigate({ namespace, id })
  const openOnSync = useOpenOnSync()
  const openItem = (id: string): void => {
    review.choose(id)
    if (onePane) navigate({ screen: 'review', namespace, id })
  }
  const back = (): void => {
    if (reading) navigate({ screen: 'review', namespace })
    else document.querySelector<HTMLElement>('.queue .rows')?.focus()
  }
  useReviewKeys(review, {
    move,
    enter: () => review.item && openItem(review.item.id),
    open: () => {
      if (review.item?.kind === 'sync') void openOnSync(review.item)
      else if (review.item) openMemory(review.item.row.memory_id)
    },
    back,
    undo,
    onWrite,
    onKeys,
  })

  const zero = !review.item && !review.queue.loading && review.filter === 'all' && review.queue.counts !== null
  const nothing = <Zero settled={review.settled} {...{ namespace, namespaces, onNamespace }} onMemories={() => navigate({ namespace })} />
  return (
    <>
      {onePane && !reading && (
        <TopBar onMenu={onMenu} onWrite={onWrite}>
          <h1 className="screen-name">{QUEUE.title}</h1>
        </TopBar>
      )}
      {reading && (
        <ReaderBar
          label={QUEUE.title}
          index={review.index}
          total={review.counts?.[review.filter] ?? review.items.length}
          onBack={back}
          onPrevious={() => move(-1)}
          onNext={() => move(1)}
        />
      )}
      {onePane && !reading && zero ? (
        <section className="list-pane queue" aria-label={QUEUE.pane}>
          {nothing}
        </section>
      ) : (
        <QueuePane review={review} you={you} heading={!onePane} inert={reading} tabs={tabs} onChoose={openItem} />
      )}
      <main className="reader-pane">
        {(!onePane || reading) && (
          <div className="reader-scroll review" role="region" aria-label={PAIR.label} tabIndex={-1} data-pane>
            {review.item && <Item item={review.item} {...{ review, you, bar: !onePane, onMove: move, onOpen: openMemory, openOnSync }} />}
            {zero && nothing}
            {review.item && <KeyLine />}
          </div>
        )}
        <UndoBar />
      </main>
    </>
  )
}

interface ItemProps {
  readonly item: OpenItem
  readonly review: Review
  readonly you: string
  readonly bar: boolean
  readonly onMove: (by: number) => void
  readonly onOpen: (id: string) => void
  readonly openOnSync: (of: SyncItem) => Promise<void>
}

function Item({ item, openOnSync, you, onOpen, ...rest }: ItemProps) {
  if (item.kind === 'sync') return <SyncPane of={item} onOpen={() => void openOnSync(item)} {...rest} />
  if (item.kind === 'proposal') return <ProposalPane of={item} you={you} onOpen={onOpen} {...rest} />
  return <PairPane pair={item} you={you} onOpen={onOpen} {...rest} />
}

function KeyLine() {
  const lines: [string[], string][] = [
    [['J', 'K'], PAIR.keys.move],
    [['O'], PAIR.keys.open],
    [['U'], PAIR.keys.undo],
    [['?'], PAIR.keys.all],
  ]
  return (
    <p className="review-keys" aria-hidden="true">
      {lines.map(([keys, what]) => (
        <span key={what}>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
          {what}
        </span>
      ))}
    </p>
  )
}

interface Moves {
  readonly move: (by: number) => void
  readonly enter: () => void
  readonly open: () => void
  readonly back: () => void
  readonly undo: () => void
  readonly onWrite: () => void
  readonly onKeys: () => void
}

function useReviewKeys(review: Review, { move, enter, open, back, undo, onWrite, onKeys }: Moves): void {
  /** The arrows scroll the pair while the focus is in it; J and K go on from anywhere. */
  const inList = (by: number) => (): void | false => (inReader() ? false : move(by))
  /** A text that is being written is not lost to a number. */
  const decide =
    (choice: Choice | null, onSync: InboxChoice | null, onTrial: Decision | null = null) =>
    (): void => {
      if (review.merging || !review.item) return
      if (review.item.kind === 'sync') void (onSync && review.decideSync(onSync))
      else if (review.item.kind === 'proposal') void (onTrial && review.decideProposal(onTrial))
      else if (choice && (choice !== 'keep_both' || !isOneKey(review.item))) void review.decide(choice)
    }
  useWindowKeys({
    1: decide('keep_row', 'mine', 'accept'),
    2: decide('keep_peer', 'accept', 'reject'),
    3: decide('keep_both', null),
    r: decide(null, 'retry'),
    m: () => review.openMerge(),
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: inList(1),
    ArrowUp: inList(-1),
    Home: inList(Number.NEGATIVE_INFINITY),
    End: inList(Number.POSITIVE_INFINITY),
    Enter: () => (document.activeElement?.matches('button, a, summary') ? false : enter()),
    o: open,
    f: () => document.querySelector<HTMLElement>('.queue .chip.on')?.focus(),
    n: onWrite,
    u: undo,
    'mod+z': undo,
    '?': onKeys,
    F6: focusNextPane,
    Escape: back,
  })
}
