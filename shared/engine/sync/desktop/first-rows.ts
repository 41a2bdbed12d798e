import { sql } from 'kysely'
import type { CopyRows } from '../../db/copy-rows.ts'
import type { EngineParts } from '../../parts.ts'
import type { ShapeName } from '../../shapes/definitions.ts'
import { applyChanges } from './apply.ts'
import { applied } from './commit.ts'
import { withoutFenced } from './fenced-rows.ts'
import type { Follow } from './follower.ts'
import { followMemories, noteVersion, type ApplyContext } from './memory-rows.ts'
import { folded, shapeOf, tableOf, type RowChange } from './rows.ts'
import { hasRows, shapeState, storeState, type ShapeState } from './staging.ts'

/**
 * The rows of a new desktop. Where nothing of a shape is here, and nothing waits that it could meet, what the server holds goes
 * in as it comes, by COPY, and no row is looked at for what it would replace. Whatever is not so plain is left to the follower,
 * which goes on from the last part that is in.
 */

/** Shapes that hold as many rows as there are memories. */
const LARGE: ReadonlySet<ShapeName> = new Set(['memory', 'versions'])
/** A part is 4 MiB. */
const TIMEOUT_MS = 120_000

/** A part of a log as the server tells it, the values of its rows as Postgres text. */
interface Part {
  readonly changes: readonly RowChange[]
  readonly place: Pick<ShapeState, 'handle' | 'shape_offset'>
  /** Nothing comes after it yet. */
  readonly isLast: boolean
}

interface Told {
  readonly headers?: { readonly operation?: unknown; readonly control?: unknown }
  readonly value?: Readonly<Record<string, unknown>>
}

const START: Part['place'] = { handle: '', shape_offset: '-1' }
const OPERATIONS: ReadonlySet<unknown> = new Set(['insert', 'update', 'delete'])

const isText = (value: unknown): boolean => value === null || typeof value === 'string'

/** Null for anything but changes of rows of our org, whole ones where they are new. */
function partOf(name: ShapeName, org: string, { headers }: Response, text: string): Part | null {
  const handle = headers.get('electric-handle') ?? ''
  const shape_offset = headers.get('electric-offset') ?? ''
  if (handle === '' || shape_offset === '') return null
  const { columns } = shapeOf(name)
  const changes: RowChange[] = []
  let isLast = false
  for (const { headers: said, value } of JSON.parse(text) as readonly Told[]) {
    if (said?.control === 'up-to-date') isLast = true
    else if (said?.control === 'snapshot-end') continue
    else if (!OPERATIONS.has(said?.operation) || value?.['org'] !== org) return null
    else if (said?.operation === 'insert' ? !columns.every((column) => isText(value[column.name])) : !Object.values(value).every(isText))
      return null
    else changes.push({ operation: said?.operation as RowChange['operation'], value })
  }
  return { changes, place: { handle, shape_offset }, isLast: isLast || changes.length === 0 }
}

async function nextPart(name: ShapeName, { connection, fetch: send, signal }: Follow, { handle, shape_offset }: Part['place']) {
  const query = new URLSearchParams({ table: name, offset: shape_offset, ...(handle !== '' && { handle }) })
  const response = await send(`${connection.serverUrl}/v1/shape?${query.toString()}`, {
    headers: { authorization: `Bearer ${connection.token}` },
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  })
  const text = await response.text()
  return response.status === 200 ? partOf(name, connection.org, response, text) : null
}

/** The texts of `{a,"b c"}`, Postgres' way to write an array of them. */
export function textsOf(array: string): string[] {
  const found = array.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/gs)
  return [...found].map(([, quoted, plain]) => quoted?.replaceAll(/\\(.)/gs, '$1') ?? plain ?? '')
}

/** A change as the follower has it: arrays are lists. */
function withLists(name: ShapeName, { operation, value }: RowChange): RowChange {
  const lists = shapeOf(name).columns.flatMap(({ name: column, dims }) => {
    const text = value[column]
    return dims !== undefined && typeof text === 'string' ? [[column, textsOf(text)] as const] : []
  })
  return { operation, value: { ...value, ...Object.fromEntries(lists) } }
}

/** Nothing was written here that has still to meet what the server has. */
async function nothingWaits({ tx, org }: ApplyContext): Promise<boolean> {
  const { rows } = await sql<{ waits: boolean }>`SELECT EXISTS (SELECT 1 FROM loom.sync_base WHERE org = ${org})
    OR EXISTS (SELECT 1 FROM loom.sync_outbox WHERE org = ${org}) AS waits`.execute(tx)
  return rows[0]?.waits === false
}

/** Puts one part in with its place. Answers whether it did: not where the shape is not as it was left. */
async function putPart(name: ShapeName, copy: CopyRows, from: Part['place'], part: Part, context: ApplyContext): Promise<boolean> {
  const { tx, org, changed } = context
  const state = (await shapeState(tx, org, name)) ?? { ...START, up_to_date: false, staging: false }
  const isWhereItWas = state.handle === from.handle && state.shape_offset === from.shape_offset && !state.staging && !state.up_to_date
  if (!isWhereItWas || (from.handle === '' && (await hasRows(tx, org, name))) || !(await nothingWaits(context))) return false
  const byKey = folded(name, await withoutFenced(tx, org, part.changes))
  const rows: RowChange['value'][] = []
  const rest: RowChange[] = []
  for (const change of byKey.values()) {
    if (change.operation === 'insert') rows.push(change.value)
    else rest.push(withLists(name, change))
  }
  await applyChanges(name, rest, context)
  // Triggers keep what a write of this host changes, which this is not.
  await sql`SELECT set_config('session_replication_role', 'replica', true)`.execute(tx)
  const columns = shapeOf(name).columns.map((column) => column.name)
  await copy(tx, `loom.${tableOf(name)}`, columns, copied(rows, columns))
  if (name === 'memory') await followMemories(tx, org, rows, changed)
  else for (const row of rows) noteVersion(changed, row)
  await storeState(tx, org, name, { ...part.place, up_to_date: false, staging: false })
  return true
}

function* copied(rows: readonly RowChange['value'][], columns: readonly string[]): Generator<(string | null)[]> {
  for (const row of rows) yield columns.map((column) => row[column] as string | null)
}

/**
 * Takes what the server holds of a shape of which nothing is here yet, or the rest of it. What stops it is met again, and told, by
 * the follower.
 */
export async function takeFirstRows(name: ShapeName, follow: Follow): Promise<void> {
  const { parts, connection } = follow
  const copy = parts.database.copyRows
  if (!LARGE.has(name) || copy === null) return
  const state = await parts.database.transaction((tx) => shapeState(tx, connection.org, name))
  if (state !== null && (state.up_to_date || state.staging)) return
  const ended = new AbortController()
  const signal = AbortSignal.any([follow.signal, ended.signal])
  const ask = (from: Part['place']): Promise<Part | null> => nextPart(name, { ...follow, signal }, from).catch(() => null)
  try {
    let from: Part['place'] = state ?? START
    for (let next = ask(from); ;) {
      const part = await next
      if (part === null || signal.aborted) return
      // The next part is on its way while this one is put in.
      if (!part.isLast) next = ask(part.place)
      const place = from
      if (!(await isPut(parts, connection.org, (context) => putPart(name, copy, place, part, context))) || part.isLast) return
      from = part.place
    }
  } finally {
    ended.abort()
  }
}

/** False where a row did not fit, and none of its part was put in. */
async function isPut(parts: EngineParts, org: string, put: (context: ApplyContext) => Promise<boolean>): Promise<boolean> {
  let fitted = true
  try {
    return await applied(parts, org, (context) =>
      put(context).catch((error: unknown) => {
        fitted = false
        throw error
      }),
    )
  } catch (error) {
    if (fitted) throw error
    return false
  }
}
