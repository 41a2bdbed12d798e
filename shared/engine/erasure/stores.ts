import type { EngineParts } from '../parts.ts'
import type { Scope } from './scope.ts'
import type { Store } from './store.ts'
import { ACCESS_STORES } from './stores/access.ts'
import { INDEX_STORE } from './stores/hot-index.ts'
import { KNOWLEDGE_STORES } from './stores/knowledge.ts'
import { MEMORY_STORES } from './stores/memory.ts'
import { BACKUP_STORE, OBJECT_STORE } from './stores/outside.ts'
import { RELATION_STORES } from './stores/relations.ts'
import { RUN_STORES } from './stores/runs.ts'
import { SYNC_STORES } from './stores/sync.ts'

/**
 * Every place that can hold what a person said, in the order in which a saga empties them. Who adds a table adds it here,
 * or to EXEMPT with a reason: a test compares both with the migrated schema.
 */
export const STORES: readonly Store[] = [
  ...MEMORY_STORES,
  ...RELATION_STORES,
  ...KNOWLEDGE_STORES,
  ...RUN_STORES,
  ...SYNC_STORES,
  ...ACCESS_STORES,
  INDEX_STORE,
  OBJECT_STORE,
  BACKUP_STORE,
]

/** Tables that hold nothing of what a person said, or that are kept on purpose: why. */
export const EXEMPT: Readonly<Record<string, string>> = {
  schema_migration: 'which migrations ran',
  instance: 'id of the database',
  org: 'name of the org and its numbers',
  namespace: 'settings of a namespace',
  namespace_category: 'names that an admin gave to categories',
  blacklist: 'patterns that an admin set, so that what they match is not written again',
  memory_schema: 'what the fields of records mean',
  audit_seal: 'hashes over audit rows',
  erasure_saga: 'the ledger: proof of the erasure',
  erasure_step: 'counts by table',
  erasure_fence: 'salted hashes that keep what was erased from coming back',
  erasure_receipt: 'counts by table, signed by a device',
  erasure_own_receipt: 'counts by table, on their way to the server',
  erasure_target: 'working notes of a saga, gone before it is verified',
  webhook: 'registrations',
  memory_webhook_delivery: 'outcomes of events: no key, no id, nobody',
  device: 'paired devices and their keys',
  sync_change: 'ids and verdicts of pushed changes',
  shape_handle: 'filters of followers',
  sync_state: 'the connection of a desktop',
  shape_state: 'how far a shape is applied',
  worker_lease: 'who runs a background pass',
  job: 'where a background pass goes on: ids and places',
}

/** The stores that a host has and a scope reaches. */
export function storesOf(scope: Scope, host: EngineParts['host']): readonly Store[] {
  return STORES.filter((store) => (store.host === undefined || store.host === host) && (store.covers?.(scope) ?? true))
}
