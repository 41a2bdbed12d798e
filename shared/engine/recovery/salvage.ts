import { type FileHandle, mkdir, open, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Name } from '../../contract/common.ts'
import { LoomError } from '../../contract/errors.ts'
import { EXPORT_FORM, EXPORT_ORDER, fileOf } from '../../contract/export-order.ts'
import { stringifyJson } from '../../contract/json.ts'
import type { ExportSection } from '../../contract/ops/namespace/export.ts'
import type { RecoveryDone } from '../../contract/recovery.ts'
import type { Queryable } from '../db/database.ts'
import { storeError } from '../db/store-error.ts'
import { asEntry, exportPage, viewsOf, type ExportContext } from '../read/export-page.ts'
import type { Head } from '../store/memories.ts'
import { rowView } from '../store/row-view.ts'
import { blocksOf } from './blocks.ts'
import { withCopy } from './copy.ts'

export type Salvaged = Omit<Extract<RecoveryDone, { did: 'export' }>, 'did'>

const PAGE = 500

interface Place {
  readonly org: string
  readonly namespace: string
}

/** What came out, while it is read. */
interface Tally {
  memories: number
  rows: number
  unreadable: number
  readonly cut: string[]
}

/**
 * Writes all that can be read of a damaged database into a new folder: for each namespace what `loom export` writes, which
 * `loom import` reads back. Of the database a copy is opened; what cannot be read of it is counted, and stops nothing.
 * @throws LoomError INVALID_ARGUMENT for a folder with something in it, UNAVAILABLE where nothing can be read
 */
export async function salvage(dataDir: string, folder: string, now: Date): Promise<Salvaged> {
  await makeEmptyFolder(folder)
  const tally: Tally = { memories: 0, rows: 0, unreadable: 0, cut: [] }
  await withCopy(dataDir, async ({ reader }) => {
    const places = [...(await exportMemories(reader, folder, now, tally)), ...(await registered(reader))]
    const named = new Map(places.map((place) => [`${place.org}/${place.namespace}`, place]))
    for (const place of named.values()) await exportRest(reader, place, folder, now, tally)
  }).catch((error: unknown) => {
    if (storeError(error) !== null || 'ENOSPC' === (error as NodeJS.ErrnoException).code) throw storeError(error) ?? error
    throw new LoomError(
      'UNAVAILABLE',
      'Nothing of the database can be read: Postgres cannot start on a copy of its files. Restore a backup; the files are kept.',
      {},
      { cause: error },
    )
  })
  await writeFile(join(folder, 'README.txt'), readme(tally, now), { mode: 0o600, flag: 'wx' })
  return { folder, ...tally }
}

/** @throws LoomError INVALID_ARGUMENT naming the folder */
async function makeEmptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if ((await readdir(folder)).length > 0)
    throw new LoomError('INVALID_ARGUMENT', `${folder} is not empty. Name a new folder: an export writes over nothing.`, {
      field: 'folder',
    })
}

/** Memories as they lie in the table, each to the file of its namespace. Answers the namespaces. */
async function exportMemories(db: Queryable, folder: string, now: Date, tally: Tally): Promise<Place[]> {
  const places = new Map<string, { readonly place: Place; readonly out: Lines; heads: Head[] }>()
  const flush = async (at: { readonly place: Place; readonly out: Lines; heads: Head[] }): Promise<void> => {
    const rows = await viewed(at.heads, contextOf(db, at.place, now))
    at.heads = []
    for (const row of rows) await at.out.write(asEntry(row))
    tally.memories += rows.length
  }
  try {
    for await (const { rows, unreadable } of blocksOf<Head>(db, 'loom.memory', 't.*', LIVE)) {
      tally.unreadable += unreadable
      for (const head of rows) {
        const { org, namespace } = head
        const name = `${org}/${namespace}`
        // A row that can be read may still have been written over.
        if (!isName(org) || !isName(namespace)) tally.unreadable++
        else {
          const place = { org, namespace }
          const at = places.get(name) ?? { place, out: linesTo(folderOf(folder, place), 'memory', place, now), heads: [] }
          places.set(name, at)
          at.heads.push(head)
          if (at.heads.length >= PAGE) await flush(at)
        }
      }
    }
    for (const at of places.values()) await flush(at)
  } finally {
    for (const { out } of places.values()) await out.close()
  }
  return [...places.values()].map(({ place }) => place)
}

const LIVE = `t.erased_by = '' AND t.status IN ('active', 'conflicted', 'duplicate', 'proposed')`
const isName = (text: string): boolean => Name.safeParse(text).success
const folderOf = (folder: string, { org, namespace }: Place): string => join(folder, org, namespace)
const contextOf = (db: Queryable, place: Place, now: Date): ExportContext => ({
  db,
  identity: { ...place, agent: '', user_id: '', session_id: '' },
  now,
})

/** Rows whole; where what is attached to them cannot be read, what stands in their own. */
async function viewed(heads: readonly Head[], context: ExportContext): Promise<Readonly<Record<string, unknown>>[]> {
  try {
    return await viewsOf(heads, context)
  } catch (error) {
    if (storeError(error) !== null) throw error
    return heads.map((head) => rowView(head, undefined, [], context.now))
  }
}

/** Namespaces that are registered, besides those that a memory lies in. */
async function registered(db: Queryable): Promise<Place[]> {
  try {
    return (await sql<Place>`SELECT org, namespace FROM loom.namespace`.execute(db)).rows
  } catch (error) {
    if (storeError(error) !== null) throw error
    return []
  }
}

/** What a namespace holds besides its memories. */
async function exportRest(db: Queryable, place: Place, folder: string, now: Date, tally: Tally): Promise<void> {
  for (const section of EXPORT_ORDER) {
    if (section === 'memory') continue
    const out = linesTo(folderOf(folder, place), section, place, now)
    try {
      await exportTables(section, contextOf(db, place, now), out.write, tally)
    } catch (error) {
      if (storeError(error) !== null) throw error
      tally.cut.push(`${place.org}/${place.namespace} ${section}`)
    } finally {
      await out.close()
    }
  }
}

type Write = (row: Readonly<Record<string, unknown>>) => Promise<void>
interface Lines {
  readonly write: Write
  readonly close: () => Promise<void>
}

/** A file of a section, made with its first row. */
function linesTo(folder: string, section: ExportSection, place: Place, now: Date): Lines {
  let file: FileHandle | null = null
  return {
    async write(row) {
      if (file === null) {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        file = await open(join(folder, fileOf(section)), 'wx', 0o600)
        await file.writeFile(`${stringifyJson({ loom_export: EXPORT_FORM, section, ...place, exported_at: now.toISOString() })}\n`)
      }
      await file.writeFile(`${stringifyJson(row)}\n`)
    },
    async close() {
      await file?.close()
    },
  }
}

async function exportTables(section: ExportSection, context: ExportContext, write: Write, tally: Tally): Promise<void> {
  const input = { section, limit: PAGE, include_tombstoned: false }
  let place: readonly unknown[] | null = null
  do {
    const page: Awaited<ReturnType<typeof exportPage>> = await exportPage(input, place, context)
    for (const row of page.rows) await write(row)
    tally.rows += page.rows.length
    place = page.next
  } while (place !== null)
}

function readme({ memories, unreadable, cut }: Tally, now: Date): string {
  return [
    `What could be read of a damaged Loom, ${now.toISOString()}.`,
    '',
    `Memories: ${memories}. There are ${unreadable} more of which nothing could be read.`,
    ...(cut.length > 0 ? ['', 'Not read to the end:', ...cut.map((name) => `  ${name}`)] : []),
    '',
    'Each folder is one namespace, as `loom export` writes it. `loom import FOLDER` reads one back.',
    '',
  ].join('\n')
}
