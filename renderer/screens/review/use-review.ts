import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import type { Json } from '../../../shared/contract/common.ts'
import type { InboxChoice } from '../../../shared/contract/ops/sync/inbox.ts'
import { choicesOf, isInInbox } from '../../data/inbox.ts'
import { placeOf, type Choice } from '../../data/pair.ts'
import type { Decision } from '../../data/proposal.ts'
import { keyOf, useReviewQueue, type ItemKind, type OpenItem, type QueueFilter } from '../../data/queue.ts'
import { isQueued } from '../../data/review.ts'
import { useUndo } from '../../state/undo.tsx'
import { forgetMerge } from '../settling/merge-editor.tsx'
import { useSettle } from '../settling/use-settle.ts'
import { openCounts } from './strings.ts'
import { useDecideProposal } from './use-decide-proposal.ts'
import { useDecideSync } from './use-decide-sync.ts'

export type Review = ReturnType<typeof useReview>

interface Place {
  readonly id: string
  readonly index: number
}

/** What became of a choice: done, refused and put back, or of something that is there no more. */
type Outcome = { readonly done: true } | { readonly done: false; readonly why: string; readonly gone: boolean }

/** The queue and the place in it. What is settled leaves at once; what was refused comes back in its place. */
/** @param first the kind that is shown at first */
export function useReview(namespace: string, initial: string, first: QueueFilter = 'all') {
  const cache = useQueryClient()
  const settle = useSettle()
  const decideSync = useDecideSync()
  const decideProposal = useDecideProposal()
  const { say } = useUndo()
  const [filter, setFilter] = useState<QueueFilter>(first)
  const queue = useReviewQueue(namespace, filter)
  const [place, setPlace] = useState<Place>({ id: initial, index: 0 })
  const [settling, setSettling] = useState<ReadonlyMap<string, ItemKind>>(new Map())
  const [refusals, setRefusals] = useState<ReadonlyMap<string, string>>(new Map())
  const [merging, setMerging] = useState<string | null>(null)
  const [saving, setSaving] = useState(false)
  const [settled, setSettled] = useState(0)
  const busy = useRef(new Set<string>())
  /** Counts what the person did: an item that comes back must not take the place of one gone to since. */
  const steps = useRef(0)

  const items = useMemo(() => queue.items.filter((one) => !settling.has(one.id)), [queue.items, settling])
  const ids = useMemo(() => items.map((one) => one.id), [items])
  const index = placeOf(ids, place.id, place.index)
  const item = items[index] ?? null
  if (item && (item.id !== place.id || index !== place.index)) setPlace({ id: item.id, index })
  const hidden = queue.items.flatMap(({ id }) => settling.get(id) ?? [])
  const counts = queue.counts && openCounts(queue.counts, hidden)

  const choose = (id: string): void => {
    steps.current++
    setPlace((before) => ({ id, index: ids.includes(id) ? ids.indexOf(id) : before.index }))
  }
  const hide = (id: string, kind: ItemKind | null): void => setSettling((before) => changed(before, id, kind))
  const refuse = (id: string, why: string): void => setRefusals((before) => changed(before, id, why || null))

  const putBack = (of: OpenItem, at: number, next: string, stayed: boolean, why: string): void => {
    if (!(of.kind === 'sync' ? isInInbox(cache, of.id) : isQueued(cache, of.id))) {
      say({ subject: keyOf(of), said: why, failed: true })
      return
    }
    refuse(of.id, why)
    // Back to it, unless the person went on to another by now. What took its place may have gone by itself meanwhile.
    setPlace((now) => (stayed || now.id === next || now.id === of.id ? { id: of.id, index: at } : now))
  }

  /** Sends a choice; the item is out of sight meanwhile, unless it is being written in. */
  const carryOut = async (of: OpenItem, stays: boolean, send: () => Promise<Outcome>): Promise<boolean> => {
    if (busy.current.has(of.id)) return false
    const next = (items[index + 1] ?? items[index - 1])?.id ?? of.id
    const step = ++steps.current
    busy.current.add(of.id)
    refuse(of.id, '')
    if (stays) setSaving(true)
    else hide(of.id, of.kind)
    const outcome = await send()
    busy.current.delete(of.id)
    if (stays) setSaving(false)
    if (outcome.done) setSettled((before) => before + 1)
    else if (!outcome.gone) putBack(of, index, next, steps.current === step, outcome.why)
    hide(of.id, null)
    return outcome.done
  }

  const decide = async (choice: Choice, value?: Json): Promise<boolean> => {
    if (!item || item.kind === 'sync' || item.kind === 'proposal') return false
    const onReopened = (): void => {
      setSettled((before) => before - 1)
      setPlace({ id: item.id, index })
    }
    const done = await carryOut(item, choice === 'merge', () =>
      settle(item, choice, { onReopened, ...(value === undefined ? {} : { value }) }),
    )
    if (done) {
      setMerging((open) => (open === item.id ? null : open))
      forgetMerge(item.id)
    }
    return done
  }

  return {
    queue,
    filter,
    setFilter: (to: QueueFilter): void => {
      setFilter(to)
      setPlace((before) => ({ id: before.id, index: 0 }))
    },
    items,
    item,
    index,
    counts,
    settled,
    refusal: item ? (refusals.get(item.id) ?? '') : '',
    isRefused: (id: string) => refusals.has(id),
    merging: item !== null && merging === item.id,
    saving,
    openMerge: () => setMerging(item && item.kind !== 'sync' && item.kind !== 'proposal' ? item.id : null),
    closeMerge: () => setMerging(null),
    choose,
    move(by: number): string | null {
      const to = items[Math.min(Math.max(index + by, 0), items.length - 1)]
      if (!to) return null
      choose(to.id)
      return to.id
    },
    decide,
    async decideProposal(decision: Decision): Promise<boolean> {
      if (item?.kind !== 'proposal' || !item.decidable) return false
      return carryOut(item, false, () => decideProposal(item, decision))
    },
    /** With `all`, every item of the same change. */
    async decideSync(choice: InboxChoice, all = false): Promise<boolean> {
      if (item?.kind !== 'sync' || !choicesOf(item.item).includes(choice)) return false
      return carryOut(item, false, () => decideSync(item, choice, all))
    },
  }
}

function changed<V>(map: ReadonlyMap<string, V>, id: string, value: V | null): ReadonlyMap<string, V> {
  const next = new Map(map)
  if (value === null) next.delete(id)
  else next.set(id, value)
  return next
}
