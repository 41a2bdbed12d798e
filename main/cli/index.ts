import { endSoon } from '../../shared/engine/host/run-until-signal.ts'
import { contractOf, isOpName, REGISTRY } from '../../shared/contract/registry.ts'
import { LOOM_VERSION } from '../../shared/contract/version.ts'
import { completionScript } from './completion.ts'
import { COMMANDS, explain, overview } from './help.ts'
import { nearest } from './nearest.ts'
import { reportError, runOperation } from './run-operation.ts'
import { UsageError } from './usage-error.ts'

/** Runs one command line. Answers the exit status: 0 done, 1 the operation answered an error, 2 typed wrong. */
async function main(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args
  try {
    if (command === undefined) throw new UsageError(overview())
    if (command === '--version' || command === '-v') return print(`loom ${LOOM_VERSION}`)
    if (command === '--help' || command === '-h') return print(overview())
    if (command === 'help') return help(rest[0])
    if (command === 'completion') return print(completionScript(rest[0]), '')
    if (command === 'mcp') return await (await import('./mcp.ts')).runMcp(rest)
    if (command === 'server') return await (await import('./server.ts')).runServerCommand(rest)
    if (command === 'sync') return await (await import('./sync.ts')).runSync(rest)
    if (command === 'import') return await (await import('./import.ts')).runImportCommand(rest)
    if (command === 'export') return await (await import('./export.ts')).runExportCommand(rest)
    if (command === 'recover') return await (await import('./recover.ts')).runRecover(rest)
    if (command === 'knowledge') return await (await import('./knowledge.ts')).runKnowledgeCommand(rest)
    if (command === 'mint-token') return await mintToken(args)
    if (isOpName(command)) return await runOperation(contractOf(command), rest)
    throw unknownCommand(command)
  } catch (error) {
    if (error instanceof UsageError) {
      process.stderr.write(`${error.message}\n`)
      return 2
    }
    reportError(error, rest.includes('--json'))
    return 1
  }
}

/** The operation token.mint; with --admin or --platform the server's own command, for when no token is left. */
async function mintToken(args: readonly string[]): Promise<number> {
  if (args.includes('--admin') || args.includes('--platform')) return await (await import('./server.ts')).runServerCommand(args)
  return await runOperation(contractOf('token.mint'), args.slice(1))
}

function print(text: string, end = '\n'): number {
  process.stdout.write(`${text}${end}`)
  return 0
}

function help(name: string | undefined): number {
  if (name === undefined) return print(overview())
  if (isOpName(name)) return print(explain(contractOf(name)))
  if (Object.hasOwn(COMMANDS, name)) return print(`loom ${name}\n\n${COMMANDS[name]}`)
  throw unknownCommand(name)
}

function unknownCommand(name: string): UsageError {
  const guess = nearest(name, [...Object.keys(REGISTRY), ...Object.keys(COMMANDS)])
  return new UsageError(`loom has no command ${JSON.stringify(name)}. ${guess ? `Did you mean ${guess}?` : '`loom help` lists them all.'}`)
}

process.exitCode = await main(process.argv.slice(2))
if (process.stdout.writableLength === 0) endSoon()
else process.stdout.once('drain', endSoon)
