import { describe, expect, it } from 'vitest'
import type { Pair, Side } from '../../../shared/contract/pair.ts'
import {
  dropped,
  guarded,
  mainChoice,
  pairOfItem,
  pairsOf,
  placeOf,
  settleInput,
  type OpenPair,
  type QueueItem,
} from '../../../renderer/data/pair.ts'

const side = (memory_id: string, more: Partial<Side> = {}): Side => ({
  memory_key: `key/${memory_id}`,
  memory_id,
  namespace: 'acme',
  agent: 'ops-bot',
  user_id: '-',
  session_id: '-',
  memory_type: 'semantic',
  value: `Text of ${memory_id}.`,
  status: 'active',
  version: 1n,
  version_text: '1',
  content_sha256: `sha-${memory_id}`,
  created_at: '2026-09-01T00:00:00.000Z',
  valid_at: null,
  actor: 'process:ops-bot',
  source_class: 'agent',
  tags: [],
  pinned: false,
  locked: false,
  ...more,
})

const pair: OpenPair = {
  id: 'p_a_b',
  kind: 'conflict',
  row: side('a'),
  peer: side('b'),
  reason: 'Days differ.',
  confidence: 0.9,
  unsure: false,
  at: '2026-09-02T00:00:00.000Z',
  more: 0,
}

describe('an open pair', () => {
  it('is settled in its own namespace, as it was seen: a text written since refuses the call', () => {
    expect(settleInput(pair, 'keep_peer')).toEqual({
      namespace: 'acme',
      pair_id: 'p_a_b',
      resolution: 'keep_peer',
      if_match_sha256: 'sha-a',
      peer_if_match_sha256: 'sha-b',
    })
    expect(settleInput(pair, 'merge', 'Both.')).toMatchObject({ resolution: 'merge', value: 'Both.' })
    // The contract refuses a value beside any other resolution.
    expect(settleInput(pair, 'keep_both', 'Both.')).not.toHaveProperty('value')
  })

  it('loses the side that was not kept; a merge retires the later row', () => {
    expect(dropped(pair, 'keep_row')?.memory_id).toBe('b')
    expect(dropped(pair, 'keep_peer')?.memory_id).toBe('a')
    expect(dropped(pair, 'merge')?.memory_id).toBe('a')
    expect(dropped(pair, 'keep_both')).toBeNull()
  })

  it('says which sides no choice may retire', () => {
    expect(guarded(pair)).toEqual([])
    const held = { ...pair, row: side('a', { locked: true }), peer: side('b', { pinned: true }) }
    expect(guarded(held).map((one) => one.memory_id)).toEqual(['a', 'b'])
  })

  it('that is but a question has keeping both for its main choice', () => {
    expect(mainChoice(pair)).toBe('keep_row')
    expect(mainChoice({ ...pair, kind: 'low_confidence' })).toBe('keep_both')
  })

  it('is one that the memory itself is in, not another of the same key', () => {
    const listed = [
      { ...pair, pair_id: '1', row: side('a'), peer: side('b') },
      { ...pair, pair_id: '2', row: side('c'), peer: side('a') },
      { ...pair, pair_id: '3', row: side('d', { memory_key: 'key/a' }), peer: side('b') },
    ] as unknown as Pair[]
    expect(pairsOf('a', listed).map((one) => one.id)).toEqual(['1', '2'])
  })

  it('is made of an item with two sides, and of no other', () => {
    const item = { ...pair, item_id: 'p_a_b', peers_more: 2, sync: null, actions: [] } as unknown as QueueItem
    expect(pairOfItem(item)).toMatchObject({ id: 'p_a_b', kind: 'conflict', more: 2 })
    expect(pairOfItem({ ...item, peer: null })).toBeNull()
    expect(pairOfItem({ ...item, kind: 'proposal' })).toBeNull()
  })
})

describe('the place in the queue', () => {
  it('stays with the chosen one, wherever it moved', () => {
    expect(placeOf(['new', 'a', 'b'], 'b', 1)).toBe(2)
  })

  it('goes to what took the place of one that left; after the last to the new last', () => {
    expect(placeOf(['a', 'c'], 'b', 1)).toBe(1)
    expect(placeOf(['a', 'b'], 'c', 2)).toBe(1)
    expect(placeOf([], 'a', 0)).toBe(-1)
    expect(placeOf(['a'], '', 0)).toBe(0)
  })
})
