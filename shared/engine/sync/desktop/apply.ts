import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { ShapeName } from '../../shapes/definitions.ts'
import { adoptId, dropMemory, noteMemory, noteVersion, putMemories, refreshMemory, type ApplyContext } from './memory-rows.ts'
import { followRecords } from './record-rows.ts'
import { followLibrary } from './library-rows.ts'
import { followRuns } from './run-rows.ts'
import { withoutFenced } from './fenced-rows.ts'
import { restoreBase } from './restore.ts'
import { basesOf, deleteRows, folded, setBase, updateRows, upsertRows, type BaseRow, type RowChange, type ShapeRow } from './rows.ts'

/**
 * Applies what the server tells of a shape, in the transaction that also stores how far it is told. Rows with changes
 * that wait keep them on top: the server's row is laid under them.
 */
export async function applyChanges(name: ShapeName, changes: readonly RowChange[], context: ApplyContext): Promise<void> {
  const { tx, org } = context
  const byKey = folded(name, name === 'erasures' ? changes : await withoutFenced(tx, org, changes))
  if (byKey.size === 0) return
  const bases = await basesOf(tx, org, name, [...byKey.keys()])
  const plain = new Map<string, RowChange>()
  for (const [key, change] of byKey) {
    const base = bases.get(key)
    if (!base) plain.set(key, change)
    else if (!context.isNewTruth && isKnown(change, base.rev)) continue
    else if (base.held.length > 0) await setBase(tx, org, base, change)
    else {
      // Changed here by nothing that is pushed, as by an expiry: the server's row stands.
      await restoreBase(base, context)
      plain.set(key, change)
    }
  }
  if (name === 'memory') await applyMemories(plain, context)
  else await applyPlain(name, plain, context)
}

/** Of two rows the greater `rev` stands; a whole row of the same `rev` says nothing new. */
function isKnown({ operation, value }: RowChange, had: string | null | undefined): boolean {
  const rev = value['rev']
  if (rev === undefined || rev === null || had === null || had === undefined) return false
  return operation === 'insert' ? BigInt(rev as string) <= BigInt(had) : BigInt(rev as string) < BigInt(had)
}

const ofKind = (changes: ReadonlyMap<string, RowChange>, operation: RowChange['operation']): ShapeRow[] =>
  [...changes.values()].filter((change) => change.operation === operation).map((change) => change.value)

async function applyPlain(name: ShapeName, changes: ReadonlyMap<string, RowChange>, { tx, org, changed }: ApplyContext): Promise<void> {
  const [inserts, updates, deletes] = [ofKind(changes, 'insert'), ofKind(changes, 'update'), ofKind(changes, 'delete')]
  if (name === 'versions') {
    for (const row of inserts) noteVersion(changed, row)
    // The server's version takes the place of the one that was made here.
    const made = inserts.map((row) => row['change_id']).filter((id) => typeof id === 'string' && id !== '')
    if (made.length > 0)
      await sql`DELETE FROM loom.memory_version v USING loom.sync_outbox o WHERE o.org = ${org} AND o.change_id = any(${made}::text[])
        AND v.org = ${org} AND v.change_id = o.made_in AND v.memory_id = o.memory_id AND v.provisional`.execute(tx)
  }
  if (name === 'blacklist') await dropSamePatterns(tx, org, inserts)
  if (name === 'namespaces') for (const row of [...inserts, ...updates, ...deletes]) changed.namespaces.add(String(row['namespace']))
  if (name === 'records') for (const row of inserts) noteVersion(changed, row)
  if (name === 'records' || name === 'schemas')
    for (const { namespace } of [...inserts, ...updates]) if (typeof namespace === 'string') changed.records.add(namespace)
  await deleteRows(tx, name, deletes)
  await upsertRows(tx, name, inserts)
  await updateRows(tx, name, updates)
  await followRecords(tx, org, name, [...inserts, ...updates, ...deletes])
  await followLibrary(tx, org, name, [...inserts, ...updates, ...deletes])
  await followRuns(tx, org, name, [...inserts, ...updates])
  if (name === 'documents' || name === 'messages') changed.library.add(name)
}

/** A pattern that was added here goes under the id that the server gave it. */
async function dropSamePatterns(tx: Tx, org: string, rows: readonly ShapeRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql`DELETE FROM loom.blacklist b USING json_populate_recordset(null::loom.blacklist, ${JSON.stringify(rows)}::json) n
    WHERE b.org = ${org} AND n.org = b.org AND n.namespace = b.namespace AND n.scope = b.scope AND n.pattern_type = b.pattern_type
      AND n.pattern = b.pattern AND n.blacklist_id <> b.blacklist_id`.execute(tx)
}

interface Local {
  readonly memory_id: string
  readonly rev: bigint
  readonly content_sha256: string
  readonly erased_by: string
}

async function localRows(tx: Tx, org: string, ids: readonly string[]): Promise<Map<string, Local>> {
  const { rows } = await sql<Local>`SELECT memory_id, rev, content_sha256, erased_by FROM loom.memory
    WHERE org = ${org} AND memory_id = any(${[...ids]}::text[])`.execute(tx)
  return new Map(rows.map((row) => [row.memory_id, row]))
}

/** Rows of ours that stand at the place of a row of the server under another id. */
async function namesakes(tx: Tx, org: string, rows: readonly ShapeRow[]): Promise<Map<string, string>> {
  const places = rows.map(({ namespace, agent, user_id, session_id, memory_key, memory_id }) => ({
    namespace,
    agent,
    user_id,
    session_id,
    memory_key,
    memory_id,
  }))
  const { rows: found } = await sql<{ own: string; theirs: string }>`SELECT m.memory_id AS own, n.memory_id AS theirs
    FROM json_to_recordset(${JSON.stringify(places)}::json) AS n(namespace text, agent text, user_id text, session_id text, memory_key text, memory_id text)
    JOIN loom.memory m ON m.org = ${org} AND m.namespace = n.namespace AND m.agent = n.agent AND m.user_id = n.user_id
      AND m.session_id = n.session_id AND m.memory_key = n.memory_key AND m.erased_by = ''
    WHERE m.memory_id <> n.memory_id`.execute(tx)
  return new Map(found.map(({ own, theirs }) => [theirs, own]))
}

async function applyMemories(changes: ReadonlyMap<string, RowChange>, context: ApplyContext): Promise<void> {
  const { tx, org, now, changed } = context
  const local = await localRows(tx, org, [...changes.keys()])
  const fresh = new Map(
    [...changes].filter(([key, change]) => context.isNewTruth === true || !isKnown(change, local.get(key)?.rev.toString())),
  )
  for (const row of ofKind(fresh, 'delete')) {
    const id = String(row['memory_id'])
    // What an erasure has stamped here is no row of the shape any more.
    if ((local.get(id)?.erased_by ?? '') === '') await dropMemory(tx, org, id, 'all', changed)
  }
  const inserts = ofKind(fresh, 'insert')
  const taken = inserts.length === 0 ? new Map<string, string>() : await namesakes(tx, org, inserts)
  const held = taken.size === 0 ? new Map<string, BaseRow>() : await basesOf(tx, org, 'memory', [...taken.values()])
  const whole: ShapeRow[] = []
  for (const row of inserts) {
    const own = taken.get(String(row['memory_id']))
    const base = own === undefined ? undefined : held.get(own)
    if (base && base.held.length > 0) {
      await setBase(tx, org, base, { operation: 'insert', value: row })
      continue
    }
    if (own !== undefined) await adoptId(tx, org, own, String(row['memory_id']), now, changed)
    whole.push(row)
  }
  await putMemories(tx, org, whole, changed)
  for (const row of ofKind(fresh, 'update')) {
    const id = String(row['memory_id'])
    await updateRows(tx, 'memory', [row])
    await refreshMemory(tx, org, id, local.get(id)?.content_sha256 ?? null, changed)
    if (!local.has(id)) noteMemory(changed, row)
  }
}
