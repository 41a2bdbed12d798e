import { sql } from 'kysely'
import { userHash, type Fence } from '../../erasure/fence.ts'
import type { Tx } from '../../db/database.ts'
import type { RowChange } from './rows.ts'
import { textOf } from './rows.ts'

interface Known extends Pick<Fence, 'seq' | 'erasure_id' | 'namespace' | 'user_sha256' | 'collection'> {
  /** Whether it is each user's whom rows have named so far: they name the same few again and again. */
  readonly users: Map<string, boolean>
}

/** Fences of an org, read once a transaction. */
const FENCES = new WeakMap<Tx, Promise<readonly Known[]>>()

function fencesOf(tx: Tx, org: string): Promise<readonly Known[]> {
  const known = FENCES.get(tx)
  if (known) return known
  const read = sql<
    Omit<Known, 'users'>
  >`SELECT seq, erasure_id, namespace, user_sha256, collection FROM loom.erasure_fence WHERE org = ${org}`
    .execute(tx)
    .then(({ rows }) => rows.map((row) => ({ ...row, users: new Map() })))
  FENCES.set(tx, read)
  return read
}

/** Whether a fence covers a row: of its namespace, its user, its collection, and made before it. */
function covers(fence: Known, row: RowChange['value']): boolean {
  if (BigInt(textOf(row['erasure_seq'])) >= fence.seq) return false
  const namespace = textOf(row['namespace'])
  // A row that names no namespace hangs on one that does: that one tells.
  if (namespace === '' || (fence.namespace !== '*' && fence.namespace !== namespace)) return false
  if (fence.collection !== '' && fence.collection !== textOf(row['collection'])) return false
  if (fence.user_sha256 === '') return true
  const user = textOf(row['user_id'])
  const isTheirs = fence.users.get(user) ?? fence.user_sha256 === userHash(fence.erasure_id, user)
  fence.users.set(user, isTheirs)
  return isTheirs
}

/**
 * Takes out rows that the server told before it had deleted them: a fence that is known here covers them. What hangs on a
 * row that is not here is left out as well, where an erasure may have taken that.
 */
export async function withoutFenced(tx: Tx, org: string, changes: readonly RowChange[]): Promise<readonly RowChange[]> {
  const told = changes.filter(
    ({ operation, value }) => operation === 'insert' && value['erasure_seq'] !== undefined && value['erasure_seq'] !== null,
  )
  if (told.length === 0) return changes
  const fences = await fencesOf(tx, org)
  if (fences.length === 0) return changes
  const late = new Set(told.filter(({ value }) => fences.some((fence) => covers(fence, value))))
  const highest = fences.reduce((most, { seq }) => (seq > most ? seq : most), 0n)
  const hanging = told.filter(
    ({ value }) => value['user_id'] === undefined && textOf(value['memory_id']) !== '' && BigInt(textOf(value['erasure_seq'])) < highest,
  )
  if (hanging.length > 0) {
    const ids = [...new Set(hanging.map(({ value }) => textOf(value['memory_id'])))]
    const { rows } = await sql<{
      memory_id: string
    }>`SELECT memory_id FROM loom.memory WHERE org = ${org} AND memory_id = any(${ids}::text[])`.execute(tx)
    const here = new Set(rows.map((row) => row.memory_id))
    for (const change of hanging) if (!here.has(textOf(change.value['memory_id']))) late.add(change)
  }
  return late.size === 0 ? changes : changes.filter((change) => !late.has(change))
}
