import { randomUUID } from 'node:crypto'
import { inProcessLink } from '../../shared/client/in-process-link.ts'
import type { Link } from '../../shared/client/link.ts'
import { contractOf, isOpName } from '../../shared/contract/registry.ts'
import { createClosers } from '../../shared/engine/host/closers.ts'
import type { DesktopConfig } from '../config.ts'
import { lockDataFolder } from '../../shared/engine/host/data-folder.ts'
import { createLogger } from '../../shared/engine/host/logger.ts'
import { openEngine } from '../open-engine.ts'
import type { Connection } from './connect.ts'

/**
 * An engine in this process for one command.
 * @throws LoomError UNAVAILABLE with `owner_pid` while another process holds the folder.
 */
export async function openOwnEngine(config: DesktopConfig, token: string | null): Promise<Connection> {
  const logger = createLogger('loom', 'warn')
  const closers = createClosers((error) => logger.error({ err: error }, 'closing failed'))
  try {
    const lock = await lockDataFolder(config.home)
    closers.add(() => lock.release())
    const { engine, models } = await openEngine(config, logger, closers)
    const claims = await engine.authenticate(token ?? undefined)
    const link = inProcessLink(engine, { claims, transport: 'inproc', fills: {}, local: true, requestId: randomUUID() })
    return { link: waitingForModels(link, models.settled), [Symbol.asyncDispose]: () => closers.close() }
  } catch (error) {
    await closers.close()
    throw error
  }
}

/** A single command would else be over before the models are there to judge and to find by meaning. */
function waitingForModels(link: Link, settled: Promise<void>): Link {
  return {
    ...link,
    async call(op, input, meta) {
      const contract = isOpName(op) ? contractOf(op) : null
      if (contract?.kind === 'write' || contract?.rate === 'search') await settled
      return await link.call(op, input, meta)
    },
  }
}
