import type { Logger } from 'pino'
import type { Engine } from '../shared/engine/api.ts'
import type { Database } from '../shared/engine/db/database.ts'
import type { Closers } from '../shared/engine/host/closers.ts'
import { createElectric } from '../shared/engine/shapes/electric.ts'
import { openPositionNote } from '../shared/engine/shapes/instance.ts'
import { createShapes, type Shapes } from '../shared/engine/shapes/shapes.ts'
import { watchTables } from '../shared/engine/shapes/triggers.ts'
import type { ServerConfig } from './config.ts'

const REMOVE_EVERY_MS = 60_000

/**
 * Has the store note its changes, and opens what devices follow them by. Before anything is written: a change that is
 * not noted is told to nobody.
 */
export async function openShapes(
  config: Pick<ServerConfig, 'home' | 'electricUrl'>,
  database: Database,
  logger: Logger,
  closers: Closers,
): Promise<Shapes> {
  await watchTables(database)
  const note = await openPositionNote(database, config.home, logger)
  closers.add(() => note.close())
  const electric = config.electricUrl === null ? null : createElectric({ database, url: config.electricUrl, log: logger, clock: Date.now })
  const shapes = createShapes({ database, log: logger, clock: Date.now, onPass: note.take, ...(electric && { electric }) })
  if (electric) {
    const remove = setInterval(() => {
      electric.removeGone().catch((error: unknown) => logger.warn({ err: error }, 'ended shapes were not deleted from Electric yet'))
    }, REMOVE_EVERY_MS).unref()
    closers.add(async () => clearInterval(remove))
  }
  return shapes
}

/** Has followers of an org looked after as soon as something is committed there. */
export function followEngine(engine: Engine, shapes: Shapes): () => void {
  return engine.on((event) => {
    if ('org' in event) shapes.changed(event.org)
  })
}
