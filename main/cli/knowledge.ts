import { lstat, readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { parseArgs } from 'node:util'
import { createClient, type Client } from '../../shared/client/create-client.ts'
import { stringifyJson } from '../../shared/contract/json.ts'
import type { OutputOf } from '../../shared/contract/registry.ts'
import { readEnv, toConfig } from '../config.ts'
import { connect } from './connect.ts'
import { sourceFiles } from './source-files.ts'
import { harmless } from './text-width.ts'
import { UsageError } from './usage-error.ts'

export const KNOWLEDGE_HELP = [
  'loom knowledge add FILE|FOLDER … [--collection NAME] [--namespace NAME] [--tag TAG …] [--json]',
  '',
  'Stores documents: Markdown, text, HTML and PDF. A file is read here and sent; its path is the key under which the',
  'next version of it replaces this one. The same file twice writes nothing.',
].join('\n')

const PLACE = ['org', 'namespace', 'agent', 'user_id', 'collection'] as const

interface Asked {
  readonly paths: readonly string[]
  readonly fields: Readonly<Record<string, string | string[]>>
  readonly json: boolean
}

function readArguments(args: readonly string[]): Asked {
  const [verb, ...rest] = args
  if (verb !== 'add') throw new UsageError(KNOWLEDGE_HELP)
  try {
    const strings = Object.fromEntries(PLACE.map((name) => [name, { type: 'string' as const }]))
    const { values, positionals } = parseArgs({
      args: rest,
      allowPositionals: true,
      options: { ...strings, tag: { type: 'string', multiple: true }, json: { type: 'boolean' } },
    })
    if (positionals.length === 0) throw new UsageError(`Name a file or folder to add.\n\n${KNOWLEDGE_HELP}`)
    const { tag, json, ...place } = values as { tag?: string[]; json?: boolean } & Record<string, string>
    return { paths: positionals, fields: { ...place, ...(tag && { tags: tag }) }, json: json === true }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n\n${KNOWLEDGE_HELP}`)
  }
}

/** Base64 is a third longer, and the request has other fields. */
const ROOM_BYTES = 16_384

async function mostBytes(client: Client): Promise<number> {
  const { limits } = await client.engine.info({})
  return Math.floor(((limits.max_request_bytes - ROOM_BYTES) * 3) / 4)
}

function lineOf(path: string, { noop, created, chunks_written: written, chunks_withheld: withheld }: OutputOf<'knowledge.add'>): string {
  const what = noop ? 'unchanged' : `${created ? 'added' : 'replaced'}, ${written} ${written === 1 ? 'passage' : 'passages'}`
  return `${path}: ${what}${withheld > 0 ? `, ${withheld} withheld` : ''}`
}

/** `loom knowledge add`. Answers the exit status: 1 where a file was not taken. */
export async function runKnowledgeCommand(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${KNOWLEDGE_HELP}\n`)
    return 0
  }
  const { paths, fields, json } = readArguments(args)
  await using connection = await connect(toConfig(readEnv()))
  const client = createClient(connection.link)
  const most = await mostBytes(client)
  let refused = 0
  for (const path of paths) {
    const files = await sourceFiles([path])
    const isFolder = (await lstat(path)).isDirectory()
    for (const file of files) {
      // A path from where the command was typed, alike on every system.
      const name = (isFolder ? join(path, file.path) : path).split(sep).join('/')
      try {
        if (file.size > most) throw new Error(`${file.size} bytes are more than the ${most} that one document may have.`)
        const answer = await client.knowledge.add({
          ...fields,
          source: name,
          content_base64: (await readFile(isFolder ? join(path, file.path) : path)).toString('base64'),
        })
        process.stdout.write(json ? `${stringifyJson({ path: name, ...answer })}\n` : `${harmless(lineOf(name, answer))}\n`)
      } catch (error) {
        refused++
        process.stderr.write(`${harmless(`${name}: ${error instanceof Error ? error.message : String(error)}`)}\n`)
      }
    }
  }
  return refused > 0 ? 1 : 0
}
