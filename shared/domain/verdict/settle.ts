/**
 * What a write becomes, given what the judge found. The table of memory-write "Verdict", as code: pure, so that a dry
 * run and a real write cannot disagree.
 */

export type Finding = 'same' | 'restates' | 'refines' | 'contradicts' | 'clear'
export type Policy = 'flag' | 'newest_wins' | 'keep_existing'

export interface JudgedPeer {
  readonly memoryId: string
  readonly memoryKey: string
  readonly finding: Finding
  readonly confidence: number
  /** The peer says more than the new claim, which adds nothing to it: such a peer is never retired by it. */
  readonly vaguer: boolean
  readonly pinned: boolean
  readonly locked: boolean
  /** The peer is the same key under another identity. */
  readonly sameKey: boolean
  readonly runId: string
}

export interface Settlement {
  readonly verdict: 'clear' | 'merge' | 'duplicate' | 'conflict' | 'rejected'
  /** Status the row is stored with; null when nothing is stored. */
  readonly status: 'active' | 'duplicate' | 'conflicted' | null
  /** Peers that took part, in the order given. */
  readonly involved: readonly JudgedPeer[]
  /** The row that holds the fact already, for merge and duplicate. */
  readonly holder: JudgedPeer | null
  /** Peers that the write retires. */
  readonly retires: readonly JudgedPeer[]
  /** Pairs that a person or an agent may settle. */
  readonly opens: readonly { readonly peer: JudgedPeer; readonly kind: 'conflict' | 'duplicate'; readonly unsure: boolean }[]
}

export interface SettleOptions {
  readonly policy: Policy
  /** Run that the call names, "" for none. */
  readonly runId: string
  readonly minConfidence: number
  /** An update stores its row whatever else holds the text: equal text is a duplicate then, never a merge. */
  readonly storesAlways?: boolean
}

const NOTHING: Settlement = { verdict: 'clear', status: 'active', involved: [], holder: null, retires: [], opens: [] }

/** Several findings apply in this order: merge, rejected, conflict, duplicate, refines. */
export function settle(peers: readonly JudgedPeer[], options: SettleOptions): Settlement {
  const sure = (peer: JudgedPeer): boolean => peer.confidence >= options.minConfidence
  const found = peers.filter((peer) => peer.finding !== 'clear')
  const same = found.filter((peer) => peer.finding === 'same')
  const otherRun = (peer: JudgedPeer): boolean => options.runId !== '' && peer.runId !== options.runId

  const merged = options.storesAlways ? undefined : same.find((peer) => !peer.sameKey && !otherRun(peer))
  if (merged) return { ...NOTHING, verdict: 'merge', status: null, involved: [merged], holder: merged }

  const shielded = found.filter(
    (peer) => peer.pinned && !peer.sameKey && sure(peer) && (peer.finding === 'contradicts' || peer.finding === 'restates'),
  )
  if (shielded.length > 0) return { ...NOTHING, verdict: 'rejected', status: null, involved: shielded }

  const unsure = found.filter((peer) => peer.finding !== 'same' && !sure(peer))
  const unsurePairs = unsure.map((peer) => ({
    peer,
    kind: peer.finding === 'contradicts' ? ('conflict' as const) : ('duplicate' as const),
    unsure: true,
  }))
  const contradicted = found.filter((peer) => peer.finding === 'contradicts' && sure(peer))
  const unsureConflicts = unsure.filter((peer) => peer.finding === 'contradicts')
  const updated = found.filter((peer) => peer.finding === 'refines' && sure(peer))

  const isGuarded = (peer: JudgedPeer): boolean => peer.locked || peer.pinned
  const outdated = [...contradicted, ...updated.filter((peer) => !peer.vaguer)]
  const retirable = options.policy === 'newest_wins' ? outdated.filter((peer) => !isGuarded(peer)) : []
  const standing = options.policy === 'newest_wins' ? contradicted.filter(isGuarded) : contradicted
  if (standing.length + unsureConflicts.length > 0) {
    return {
      verdict: 'conflict',
      status: 'conflicted',
      involved: [...standing, ...unsureConflicts],
      holder: null,
      retires: retirable,
      opens: [...standing.map((peer) => ({ peer, kind: 'conflict' as const, unsure: false })), ...unsurePairs],
    }
  }

  const repeated = [...same, ...found.filter((peer) => peer.finding === 'restates' && sure(peer))]
  const holder = repeated[0] ?? null
  if (holder) {
    return {
      verdict: 'duplicate',
      status: 'duplicate',
      involved: repeated,
      holder,
      retires: [],
      opens: [{ peer: holder, kind: 'duplicate', unsure: false }, ...unsurePairs],
    }
  }
  return { ...NOTHING, involved: retirable.length > 0 ? retirable : [...updated, ...unsure], retires: retirable, opens: unsurePairs }
}
