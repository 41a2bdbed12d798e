/** What a webhook is told of a change to a memory row. */
export type ChangeEvent = 'memory.written' | 'memory.revised' | 'memory.tombstoned' | 'memory.restored' | 'memory.redacted'

/** How the write core changed a row. */
export type ChangeKind =
  /** A judged claim was stored at its key. */
  | 'stored'
  /** A new version that keeps the claim, or takes back an older one. */
  | 'revised'
  | 'tombstoned'
  /** A retired row lives again. */
  | 'revived'
  /** What stays under the old key of a move. */
  | 'left'
  | 'cleared'
  | 'scrubbed'

/** A row before or after a change, as far as it decides the event. */
export interface RowState {
  readonly status: string
  readonly content_sha256: string
}

export interface Change {
  readonly op: string
  readonly kind: ChangeKind
  /** The row as it was; null: the key held none. */
  readonly before: RowState | null
  readonly after: RowState
  /** The row is known to have been live before. */
  readonly wasLive: boolean
}

type Rule = (change: Change) => ChangeEvent | null

const bySet: Rule = ({ wasLive }) => (wasLive ? 'memory.revised' : 'memory.written')
const always =
  (event: ChangeEvent): Rule =>
  () =>
    event
const ifLive =
  (event: ChangeEvent): Rule =>
  ({ wasLive }) =>
    wasLive ? event : null
const ofTombstone =
  (event: ChangeEvent): Rule =>
  ({ before }) =>
    before?.status === 'tombstoned' ? event : null

const isNewValue = ({ before, after }: Change): boolean => before?.content_sha256 !== after.content_sha256

/** A side of a reopened pair: deleted by the settlement, or merged into. A side that only changes its status is no news. */
const ofReopened: Rule = (change) => ofTombstone('memory.restored')(change) ?? (isNewValue(change) ? 'memory.revised' : null)
const ofRollback: Rule = (change) =>
  ofTombstone('memory.restored')(change) ?? (change.wasLive && isNewValue(change) ? 'memory.revised' : null)

/**
 * The writes that are told, by what they did and the operation or pass that did it; every other write is silent. The
 * table of docs/webhooks.md says the same to receivers.
 */
export const TOLD: Readonly<Record<ChangeKind, Readonly<Record<string, Rule>>>> = {
  stored: {
    'memory.set': bySet,
    'memory.bulk_set': bySet,
    'decision.record': bySet,
    'learning.record': bySet,
    'procedure.record': bySet,
    'profile.set': bySet,
    'memory.import': bySet,
    'memory.import_curated': bySet,
    'memory.set_from_messages': bySet,
    'memory.update': always('memory.revised'),
    'memory.update_by_id': always('memory.revised'),
    'conflicts.resolve': always('memory.revised'),
    'memory.dedup_resolve': always('memory.revised'),
  },
  revised: {
    'worker:expiry': always('memory.revised'),
    'worker:sensitivity': always('memory.revised'),
    'run.complete': always('memory.revised'),
    'memory.proposal_decide': always('memory.written'),
    'worker:proposal_policy': always('memory.written'),
    'conflicts.resolve': ofReopened,
    'memory.dedup_resolve': ofReopened,
    'namespace.rollback': ofRollback,
  },
  tombstoned: {
    'memory.delete': always('memory.tombstoned'),
    'memory.delete_version': always('memory.tombstoned'),
    'conflicts.resolve': always('memory.tombstoned'),
    'memory.dedup_resolve': always('memory.tombstoned'),
    'blacklist.add': ifLive('memory.tombstoned'),
    'blacklist.sweep': ifLive('memory.tombstoned'),
    'namespace.rollback': always('memory.tombstoned'),
    'worker:expiry': always('memory.tombstoned'),
  },
  revived: { 'memory.restore': ofTombstone('memory.restored') },
  left: { 'memory.move': ({ after }) => (after.status === 'redirect' ? 'memory.revised' : 'memory.tombstoned') },
  cleared: { 'memory.clear': always('memory.tombstoned') },
  scrubbed: { 'memory.redact': always('memory.redacted') },
}

const SERVED = new Set(['active', 'conflicted', 'duplicate'])

/** A proposal is served to nobody who does not ask: what makes, changes or ends one is no news, but for its acceptance. */
const ofProposal = ({ before, after }: Change): boolean =>
  after.status === 'proposed' || (before?.status === 'proposed' && !SERVED.has(after.status))

/** The event that a change sends, or null. */
export function eventOf(change: Change): ChangeEvent | null {
  if (ofProposal(change)) return null
  return TOLD[change.kind][change.op]?.(change) ?? null
}
