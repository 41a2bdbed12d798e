import { join } from 'node:path'
import type { Logger } from 'pino'
import { LoomError } from '../shared/contract/errors.ts'
import { createEngine } from '../shared/engine/create.ts'
import { LEDGER_FILE, openLedgerFile } from '../shared/engine/erasure/ledger-file.ts'
import { createClosers } from '../shared/engine/host/closers.ts'
import { NO_MODELS } from '../shared/engine/models/no-models.ts'
import { backupsBeside } from './backup.ts'
import type { ServerConfig } from './config.ts'
import { fileObjects } from '../shared/engine/objects/object-store.ts'
import { openShapes } from './open-shapes.ts'
import { openStore } from './open-store.ts'

/**
 * Takes the fences and ended tokens of a ledger file into that of the server, and carries out what the store does not know
 * of. For after a store was put back from a dump of an operator's own.
 * @returns how many fences the file holds
 * @throws LoomError INVALID_ARGUMENT for a file without a single line of a ledger, UNAVAILABLE while a server holds the data folder
 */
export async function reapplyOnMachine(config: ServerConfig, from: string, logger: Logger): Promise<number> {
  const given = openLedgerFile(from)
  const [fences, ended] = [await given.fences(), await given.ended()]
  if (fences.length + ended.length === 0)
    throw new LoomError('INVALID_ARGUMENT', `${from} holds no line of an erasure ledger.`, { field: 'from' })
  const closers = createClosers((error) => logger.error({ err: error }, 'closing failed'))
  try {
    const database = await openStore(config, closers)
    const ledgerFile = join(config.home, LEDGER_FILE)
    const own = openLedgerFile(ledgerFile)
    await own.addFences(fences)
    await own.addEnded(ended)
    const shapes = await openShapes(config, database, logger, closers)
    const engine = await createEngine({
      host: 'server',
      mode: config.mode,
      config: config.engine,
      database,
      models: NO_MODELS,
      objects: fileObjects(config.objects),
      // A purge takes old backups with it.
      ...(await backupsBeside(config, database)),
      clock: Date.now,
      log: logger,
      jobs: 'manual',
      erasure: { ledgerFile },
      shapes,
    })
    await engine.close()
    shapes.close()
    return fences.length
  } finally {
    await closers.close()
  }
}
