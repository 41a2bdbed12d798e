import { createHash } from 'node:crypto'
import type { ShapeDefinition } from './columns.ts'

/** Electric's shape protocol: positions, keys and control messages. */

/** A place in a shape's log: (0, chunk) in its snapshot, (transaction, operation) after it; tx -1 stands before all. */
export interface Offset {
  readonly tx: bigint
  readonly op: bigint
}

export const BEFORE_ALL: Offset = { tx: -1n, op: 0n }
const INFINITE = (1n << 62n) - 1n
const OFFSET = /^(\d{1,19})_(\d{1,18}|inf)$/

/**
 * Places of transactions count by two. A client that follows events goes on from `<global_last_seen_lsn>_0`: the odd
 * number after a transaction stands past all of its operations and before the next, so that nothing comes twice.
 */
export const placeOfTransaction = (xid: bigint): bigint => xid * 2n
export const placeAfter = (xid: bigint): bigint => xid * 2n + 1n

/** Null for a text that is no offset. */
export function parseOffset(text: string): Offset | null {
  if (text === '-1') return BEFORE_ALL
  const found = OFFSET.exec(text)
  if (!found) return null
  return { tx: BigInt(found[1] ?? ''), op: found[2] === 'inf' ? INFINITE : BigInt(found[2] ?? '') }
}

export function formatOffset({ tx, op }: Offset): string {
  if (tx === -1n) return '-1'
  return `${tx}_${op === INFINITE ? 'inf' : op}`
}

/** Negative when `a` stands before `b`. */
export function compareOffsets(a: Offset, b: Offset): number {
  if (a.tx !== b.tx) return a.tx < b.tx ? -1 : 1
  return a.op === b.op ? 0 : a.op < b.op ? -1 : 1
}

/** The key of a row in messages, from the values of its key columns. Handles.ts makes the same in SQL. */
export function messageKey({ relation }: Pick<ShapeDefinition, 'relation'>, values: readonly (string | null)[]): string {
  const parts = values.map((value) => (value === null ? '/_' : `/"${value.replaceAll('/', '//')}"`))
  return `${relationKey(relation)}${parts.join('')}`
}

export function relationKey(relation: readonly string[]): string {
  return relation.map((name) => `"${name.replaceAll('/', '//').replaceAll('.', '..')}"`).join('.')
}

/** Tells a follower that it has all there was; `lsn`: the last transaction that every shape has. */
export function upToDate(lsn: bigint): string {
  return JSON.stringify({ headers: { control: 'up-to-date', global_last_seen_lsn: String(lsn) } })
}

export const MUST_REFETCH = JSON.stringify([{ headers: { control: 'must-refetch' } }])

/** Value of the header `electric-schema`. */
export function schemaHeader({ columns, key }: ShapeDefinition): string {
  const schema = columns.map(({ name, type, dims, nullable }) => {
    const place = key.indexOf(name)
    return [name, { type, ...(dims && { dims }), ...(place >= 0 && { pk_index: place }), ...(nullable ? {} : { not_null: true }) }]
  })
  return JSON.stringify(Object.fromEntries(schema))
}

/** Changes with the columns of a shape: a handle made for other columns rotates. */
export function columnsHash({ columns, key }: ShapeDefinition): string {
  return createHash('sha256')
    .update(JSON.stringify([columns, key]))
    .digest('hex')
}

/** The cursors count from here, as Electric's own do. */
const EPOCH_S = Date.UTC(2024, 9, 9) / 1000

/**
 * The cursor of a live answer: the end of the running interval, and never the one that the follower has. (Caches tell
 * polls apart by it; ours are never cached, and the client still insists.)
 */
export function nextCursor(previous: string | null, nowMs: number, intervalMs: number): string {
  const interval = Math.max(1, Math.floor(intervalMs / 1000))
  const next = Math.ceil((nowMs / 1000 - EPOCH_S) / interval) * interval
  const had = /^\d{1,15}$/.test(previous ?? '') ? Number(previous) : -1
  return String(next > had ? next : had + 1)
}
