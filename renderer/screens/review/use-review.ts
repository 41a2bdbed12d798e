import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import type { Json } from '../../../shared/contract/common.ts'
import { placeOf, type Choice, type OpenPair, type PairKind } from '../../data/pair.ts'
import { isQueued, useReviewQueue, type QueueFilter } from '../../data/review.ts'
import { useUndo } from '../../state/undo.tsx'
import { forgetMerge } from '../settling/merge-editor.tsx'
import { useSettle } from '../settling/use-settle.ts'
import { openCounts } from './strings.ts'

export type Review = ReturnType<typeof useReview>

interface Place {
  readonly id: string
  readonly index: number
}

/** The queue and the place in it. What is settled leaves at once; what was refused comes back in its place. */
export function useReview(namespace: string, initial: string) {
  const cache = useQueryClient()
  const settle = useSettle()
  const { say } = useUndo()
  const [filter, setFilter] = useState<QueueFilter>('all')
  const queue = useReviewQueue(namespace, filter)
  const [place, setPlace] = useState<Place>({ id: initial, index: 0 })
  const [settling, setSettling] = useState<ReadonlyMap<string, PairKind>>(new Map())
  const [refusals, setRefusals] = useState<ReadonlyMap<string, string>>(new Map())
  const [merging, setMerging] = useState<string | null>(null)
  const [saving, setSaving] = useState(false)
  const [settled, setSettled] = useState(0)
  const busy = useRef(new Set<string>())

  const pairs = useMemo(() => queue.pairs.filter((pair) => !settling.has(pair.id)), [queue.pairs, settling])
  const ids = useMemo(() => pairs.map((pair) => pair.id), [pairs])
  const index = placeOf(ids, place.id, place.index)
  const pair = pairs[index] ?? null
  if (pair && (pair.id !== place.id || index !== place.index)) setPlace({ id: pair.id, index })
  const hidden = queue.pairs.flatMap(({ id }) => settling.get(id) ?? [])
  const counts = queue.counts && openCounts(queue.counts, hidden)

  const choose = (id: string): void => setPlace((before) => ({ id, index: ids.includes(id) ? ids.indexOf(id) : before.index }))
  const hide = (id: string, kind: PairKind | null): void =>
    setSettling((before) => {
      const next = new Map(before)
      if (kind) next.set(id, kind)
      else next.delete(id)
      return next
    })
  const refuse = (id: string, why: string): void =>
    setRefusals((before) => {
      const next = new Map(before)
      if (why) next.set(id, why)
      else next.delete(id)
      return next
    })

  const putBack = (of: OpenPair, at: number, next: string, why: string): void => {
    if (!isQueued(cache, of.id)) {
      say({ subject: of.row.memory_key, said: why, failed: true })
      return
    }
    refuse(of.id, why)
    // Back to it, unless the person went on to another by now.
    setPlace((now) => (now.id === next || now.id === of.id ? { id: of.id, index: at } : now))
  }

  const decide = async (choice: Choice, value?: Json): Promise<boolean> => {
    const of = pair
    if (!of || busy.current.has(of.id)) return false
    const next = (pairs[index + 1] ?? pairs[index - 1])?.id ?? of.id
    const merge = choice === 'merge'
    busy.current.add(of.id)
    refuse(of.id, '')
    if (merge) setSaving(true)
    else hide(of.id, of.kind)
    const onReopened = (): void => {
      setSettled((before) => before - 1)
      setPlace({ id: of.id, index })
    }
    const outcome = await settle(of, choice, { onReopened, ...(value === undefined ? {} : { value }) })
    busy.current.delete(of.id)
    if (merge) setSaving(false)
    if (outcome.done) {
      setSettled((before) => before + 1)
      setMerging((open) => (open === of.id ? null : open))
      forgetMerge(of.id)
    } else if (!outcome.gone) putBack(of, index, next, outcome.why)
    hide(of.id, null)
    return outcome.done
  }

  return {
    queue,
    filter,
    setFilter: (to: QueueFilter): void => {
      setFilter(to)
      setPlace((before) => ({ id: before.id, index: 0 }))
    },
    pairs,
    pair,
    index,
    counts,
    settled,
    refusal: pair ? (refusals.get(pair.id) ?? '') : '',
    isRefused: (id: string) => refusals.has(id),
    merging: pair !== null && merging === pair.id,
    saving,
    openMerge: () => setMerging(pair?.id ?? null),
    closeMerge: () => setMerging(null),
    choose,
    move(by: number): string | null {
      const to = pairs[Math.min(Math.max(index + by, 0), pairs.length - 1)]
      if (!to) return null
      choose(to.id)
      return to.id
    },
    decide,
  }
}
