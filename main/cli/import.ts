import { parseArgs } from 'node:util'
import { createClient } from '../../shared/client/create-client.ts'
import { COLUMN_FIELDS, type Columns } from '../../shared/client/importing/columns.ts'
import { reportText } from '../../shared/client/importing/report-text.ts'
import type { Report } from '../../shared/client/importing/report.ts'
import { runImport } from '../../shared/client/importing/run-import.ts'
import type { ImportPlace } from '../../shared/client/importing/sender.ts'
import { isLoomError } from '../../shared/contract/errors.ts'
import { stringifyJson } from '../../shared/contract/json.ts'
import { readEnv, toConfig } from '../config.ts'
import { connect } from './connect.ts'
import { sourceFiles } from './source-files.ts'
import { harmless } from './text-width.ts'
import { UsageError } from './usage-error.ts'

export const IMPORT_HELP = [
  'loom import FILE|FOLDER … [--dry-run] [--namespace NAME] [--column text=NAME …] [--json]',
  '',
  'Stores what another system knows. Each fact is judged against what is known; the same file twice writes nothing new.',
  'Reads exports of ChatGPT, Claude, mem0, OpenMemory and Loom (zip or JSON), memory.jsonl of the MCP server, notes of',
  'basic-memory and Obsidian, CLAUDE.md and AGENTS.md, sessions of Claude Code and Codex, CSV, JSON and JSONL. What a file',
  'is tells its content, not its name.',
  '',
  '  --dry-run          Say what would become of each fact, and store nothing. Start with this.',
  '  --namespace NAME   Where the facts go; also --org, --agent, --user_id, --session_id, --run_id.',
  `  --column FIELD=NAME  Column or member of a record that holds a field: ${COLUMN_FIELDS.join(', ')}.`,
  '  --json             The report as JSON.',
].join('\n')

const PLACE = ['org', 'namespace', 'agent', 'user_id', 'session_id', 'run_id'] as const

interface Asked {
  readonly paths: readonly string[]
  readonly place: ImportPlace
  readonly columns: Columns
  readonly dryRun: boolean
  readonly json: boolean
}

/** @throws UsageError for what is no such command */
export function readImportArguments(args: readonly string[]): Asked {
  const strings = Object.fromEntries(PLACE.map((name) => [name, { type: 'string' as const }]))
  try {
    const { values, positionals } = parseArgs({
      args: args.map((arg) => arg.replace(/^--dry_run$/, '--dry-run')),
      allowPositionals: true,
      options: { ...strings, column: { type: 'string', multiple: true }, 'dry-run': { type: 'boolean' }, json: { type: 'boolean' } },
    })
    if (positionals.length === 0) throw new UsageError(`Name a file or folder to import.\n\n${IMPORT_HELP}`)
    const given = values as Readonly<Record<string, string | string[] | boolean | undefined>>
    const place = Object.fromEntries(PLACE.flatMap((name) => (typeof given[name] === 'string' ? [[name, given[name]]] : [])))
    return {
      paths: positionals,
      place,
      columns: columnsIn((given['column'] as string[] | undefined) ?? []),
      dryRun: given['dry-run'] === true,
      json: given['json'] === true,
    }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n\n${IMPORT_HELP}`)
  }
}

function columnsIn(given: readonly string[]): Columns {
  const pairs = given.map((one) => {
    const equals = one.indexOf('=')
    const field = one.slice(0, Math.max(0, equals))
    if (!(COLUMN_FIELDS as readonly string[]).includes(field) || equals === one.length - 1)
      throw new UsageError(`--column is FIELD=NAME, where FIELD is one of ${COLUMN_FIELDS.join(', ')}; not ${JSON.stringify(one)}.`)
    return [field, one.slice(equals + 1)] as const
  })
  return Object.fromEntries(pairs)
}

const MB = 1024 * 1024
const megabytes = (bytes: number): string => `${(bytes / MB).toFixed(1)} MB`

/** One line on a terminal, written over itself. */
function showProgress({ bytes_read, bytes_total, found, totals }: Report): void {
  const { written, held, skipped, refused } = totals
  const line = `${megabytes(bytes_read)} of ${megabytes(bytes_total)}, ${found} found, ${written} stored, ${held + skipped + refused} not`
  process.stderr.write(`\r\u001b[K${line}`)
}

/** `loom import`. Answers the exit status: 1 when it was cancelled, or found nothing that it could read. */
export async function runImportCommand(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${IMPORT_HELP}\n`)
    return 0
  }
  const { paths, place, columns, dryRun, json } = readImportArguments(args)
  const files = await sourceFiles(paths)
  const stop = new AbortController()
  const cancel = (): void => stop.abort()
  process.once('SIGINT', cancel)
  const onTerminal = process.stderr.isTTY && !json
  try {
    await using connection = await connect(toConfig(readEnv()))
    const client = createClient(connection.link)
    const report = await runImport(client, files, {
      place,
      columns,
      dryRun,
      signal: stop.signal,
      ...(onTerminal && { onProgress: showProgress }),
    })
    if (onTerminal) process.stderr.write('\r\u001b[K')
    process.stdout.write(json ? `${stringifyJson(report)}\n` : `${reportText(report).split('\n').map(harmless).join('\n')}\n`)
    return report.cancelled || (report.found === 0 && report.problem_count > 0) ? 1 : 0
  } catch (error) {
    if (!dryRun && !json && isLoomError(error) && error.code === 'UNAVAILABLE')
      process.stderr.write('What was stored before this stays, and the same import made again goes on from there.\n')
    throw error
  } finally {
    process.off('SIGINT', cancel)
  }
}
