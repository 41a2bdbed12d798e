import { type FileHandle, mkdir, open, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { createClient } from '../../shared/client/create-client.ts'
import { exportNamespace } from '../../shared/client/exporting/export-namespace.ts'
import { noteOf, notePath } from '../../shared/client/exporting/note.ts'
import { fileOf } from '../../shared/contract/export-order.ts'
import { readEnv, toConfig } from '../config.ts'
import { connect } from './connect.ts'
import { UsageError } from './usage-error.ts'

export const EXPORT_HELP = [
  'loom export FOLDER [--org NAME] [--namespace NAME] [--no-markdown]',
  '',
  'Writes everything that a namespace holds into a new folder: a file of JSONL for each section, which `loom import` reads',
  'back, and each memory as a Markdown note for reading. Vectors are left out. Nothing is written over.',
].join('\n')

interface Asked {
  readonly folder: string
  readonly place: { readonly org?: string; readonly namespace?: string }
  readonly markdown: boolean
}

function readArguments(args: readonly string[]): Asked {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { org: { type: 'string' }, namespace: { type: 'string' }, 'no-markdown': { type: 'boolean' } },
    })
    const [folder, ...more] = positionals
    if (folder === undefined || more.length > 0) throw new UsageError(`Name one folder to write to.\n\n${EXPORT_HELP}`)
    const { org, namespace } = values
    return {
      folder,
      place: { ...(org !== undefined && { org }), ...(namespace !== undefined && { namespace }) },
      markdown: values['no-markdown'] !== true,
    }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n\n${EXPORT_HELP}`)
  }
}

/** @throws UsageError for a folder with something in it */
async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if ((await readdir(folder)).length > 0) throw new UsageError(`${folder} is not empty. Name a new folder: an export writes over nothing.`)
}

/** `loom export`. Answers the exit status. */
export async function runExportCommand(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${EXPORT_HELP}\n`)
    return 0
  }
  const { folder, place, markdown } = readArguments(args)
  await makeFolder(folder)
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  let current = null as { readonly name: string; readonly file: FileHandle } | null
  await using connection = await connect(toConfig(readEnv()))
  for await (const { section, text, row } of exportNamespace(createClient(connection.link), place)) {
    const name = fileOf(section)
    if (current?.name !== name) {
      await current?.file.close()
      current = { name, file: await open(join(folder, name), 'wx', 0o600) }
    }
    await current.file.writeFile(`${text}\n`)
    if (row === null) continue
    counts.set(section, (counts.get(section) ?? 0) + 1)
    if (section !== 'memory' || !markdown) continue
    const path = join(folder, 'markdown', notePath(row, taken))
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(path, noteOf(row), { mode: 0o600, flag: 'wx' })
  }
  await current?.file.close()
  const told = [...counts].map(([section, rows]) => `  ${section}: ${rows.toLocaleString('en-US')}`)
  process.stdout.write(`${[`Wrote ${folder}`, ...(told.length > 0 ? told : ['  nothing: the namespace is empty'])].join('\n')}\n`)
  return 0
}
