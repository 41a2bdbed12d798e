import { mkdir } from 'node:fs/promises'
import pino, { type Logger } from 'pino'
import { toConfig } from '../../main/config.ts'
import { openEngine, type OpenEngine, type OpenOptions } from '../../main/open-engine.ts'
import type { CallInputOf, OpName, OutputOf } from '../../shared/contract/registry.ts'
import { createClosers } from '../../shared/engine/host/closers.ts'
import type { Caller } from '../../shared/engine/caller.ts'
import { testCaller } from './engine.ts'

export interface Desktop extends OpenEngine {
  call<N extends OpName>(op: N, input: CallInputOf<N>, caller?: Partial<Caller>): Promise<OutputOf<N>>
  close(): Promise<void>
}

/** The engine of a data folder as the app opens it, with settings, backups and models, but no address. */
export async function openDesktop(
  home: string,
  env: Record<string, string> = {},
  options: OpenOptions & { logger?: Logger } = {},
): Promise<Desktop> {
  await mkdir(home, { recursive: true })
  const logger = options.logger ?? pino({ level: process.env['LOOM_TEST_LOG'] ?? 'silent' }, pino.destination(2))
  const closers = createClosers((error) => logger.error({ err: error }, 'closing failed'))
  const opened = await openEngine(toConfig({ LOOM_HOME: home, ...env }).desktop, logger, closers, options).catch(async (error: unknown) => {
    // Models that nobody closes would go on loading beside the tests that follow.
    await closers.close()
    throw error
  })
  await opened.models.settled
  return {
    ...opened,
    call: (async (op: string, input: unknown, caller: Partial<Caller> = {}) =>
      opened.engine.run(op, input, testCaller(caller.claims, caller))) as Desktop['call'],
    close: () => closers.close(),
  }
}
