import { sql } from 'kysely'
import type { Sensitivity } from '../../contract/common.ts'
import { memorySet } from '../../contract/ops/memory/set.ts'
import type { Queryable } from '../db/database.ts'
import type { WriteContext } from '../handler.ts'
import type { Identity } from '../identity.ts'
import { addSources } from '../store/attached.ts'
import type { Vectors } from '../store/attachments.ts'
import { headAt, type Head } from '../store/memories.ts'
import type { Content } from './content.ts'
import { passGuards } from './guards.ts'
import { planWrite } from './plan.ts'
import { reviseRow } from './revise-row.ts'
import { higherLevel } from './sensitivity.ts'
import { isLive } from './state.ts'
import { storeClaim } from './store-claim.ts'

/** Whose row a summary is: the caller's, with the user of its sources. */
export const summaryIdentity = (identity: Identity, sources: readonly Head[]): Identity => ({
  ...identity,
  user_id: sources[0]?.user_id ?? identity.user_id,
})

/** Whether the row at the key of a summary is one of just these rows, as they now are. */
export async function isStanding(tx: Queryable, head: Head | null, sources: readonly Head[], now: Date): Promise<boolean> {
  if (!head || !isLive(head, now) || sources.some((source) => source.version > head.version)) return false
  const { rows } = await sql<{ source_id: string }>`SELECT source_id FROM loom.memory_summary
    WHERE org = ${head.org} AND memory_id = ${head.memory_id} AND version = ${head.version}`.execute(tx)
  const ids = new Set(rows.map((row) => row.source_id))
  return ids.size === sources.length && sources.every((source) => ids.has(source.memory_id))
}

/**
 * Stores a summary: semantic, derived, of the highest sensitivity of its sources, and not judged.
 * @throws LoomError LOCKED or PINNED_CONFLICT for its own row.
 */
export async function storeSummary(
  op: string,
  identity: Identity,
  content: Content,
  vectors: Vectors | null,
  sources: readonly Head[],
  context: WriteContext,
): Promise<Head> {
  const { tx, now, caller, parts } = context
  const head = await headAt(tx, identity, content.key)
  const live = head && isLive(head, now) ? head : null
  if (live) passGuards(live, 'change_value', now)
  const sensitivity = sources.reduce<Sensitivity>((level, source) => higherLevel(level, source.sensitivity as Sensitivity), '')
  const settings = await parts.settings.get(tx, identity.org, identity.namespace)
  const input = memorySet.input.parse({
    memory_key: content.key,
    value: content.value,
    memory_type: 'semantic',
    source_class: 'derived',
    entities: [...new Set(sources.flatMap((source) => source.entities))].slice(0, 64),
    sensitivity,
  })
  const { target } = planWrite(input, content, head, { kind: caller.claims.kind, autodetect: false, settings, now })
  const settlement = { verdict: 'clear', status: 'active', involved: [], holder: null, retires: [], opens: [] } as const
  const stored = await storeClaim({ op, identity, content, target, head, vectors, settlement, judged: [], checked: false }, context)
  await addSources(
    tx,
    stored.org,
    stored.memory_id,
    stored.version,
    sources.map((source) => source.memory_id),
  )
  return stored
}

/** Retires a source in favour of its summary: version +1, an audit row of its own, no event. */
export async function retireSource(source: Head, summary: Head, op: string, context: WriteContext): Promise<void> {
  const retired = { status: 'superseded', superseded_by: summary.memory_id, superseded_at: context.now, invalid_at: context.now }
  await reviseRow(source, retired, op, context)
}
