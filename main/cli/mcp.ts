import { parseArgs } from 'node:util'
import type { Logger } from 'pino'
import { isLoomError } from '../../shared/contract/errors.ts'
import { readToolsets } from '../../shared/contract/mcp-surface.ts'
import { readFills } from '../../shared/transport/mcp-http.ts'
import { serveMcpStdio } from '../../shared/transport/stdio.ts'
import { readEnv, toConfig } from '../config.ts'
import { createLogger } from '../../shared/engine/host/logger.ts'
import { runUntilSignal } from '../../shared/engine/host/run-until-signal.ts'
import { createEngineRoad } from './mcp-road.ts'
import { UsageError } from './usage-error.ts'

const USAGE = `loom mcp [--namespace N] [--agent A] [--user-id U] [--session-id S] [--toolset T,…]

Serves MCP over stdin and stdout: through the app that runs on LOOM_HOME, else with an engine of its own, which then
answers other clients too. The options fill what a call does not name.`

/** Serves MCP over stdio until the client closes its end. Answers the exit status. */
export async function runMcp(args: readonly string[]): Promise<number> {
  const options = readOptions(args)
  if (options === null) {
    process.stdout.write(`${USAGE}\n`)
    return 0
  }
  const logger: Logger = createLogger('loom-mcp', 'warn')
  const road = createEngineRoad(toConfig(readEnv()), options.fills, logger)
  const server = serveMcpStdio({ call: road.call, toolset: options.toolset, log: logger })
  const signalled = runUntilSignal(async () => {
    await server.close()
    await road.close()
  }, logger)
  await Promise.race([server.closed, signalled])
  await road.close()
  return 0
}

function readOptions(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        namespace: { type: 'string' },
        agent: { type: 'string' },
        'user-id': { type: 'string' },
        'session-id': { type: 'string' },
        toolset: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    if (values.help) return null
    const named = { namespace: values.namespace, agent: values.agent, user_id: values['user-id'], session_id: values['session-id'] }
    const query = new URLSearchParams(Object.entries(named).filter((entry): entry is [string, string] => entry[1] !== undefined))
    readToolsets(values.toolset)
    return { fills: readFills(query), toolset: values.toolset ?? '' }
  } catch (error) {
    const message = error instanceof Error ? error.message.split('\n')[0] : String(error)
    throw new UsageError(isLoomError(error) ? (message ?? '') : `${message}\n\n${USAGE}`)
  }
}
