import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { RecoveryChoice, RecoveryDone } from '../shared/contract/recovery.ts'
import { SNAPSHOT_NAME } from '../shared/engine/db/snapshot.ts'
import { cacheFolder } from '../shared/engine/host/app-paths.ts'
import { lockDataFolder } from '../shared/engine/host/data-folder.ts'
import { finishMoves } from '../shared/engine/recovery/note.ts'
import type { Places } from '../shared/engine/recovery/places.ts'
import { restoreBeside, startFresh } from '../shared/engine/recovery/restore-beside.ts'
import { salvage } from '../shared/engine/recovery/salvage.ts'
import { survey } from '../shared/engine/recovery/survey.ts'
import type { DesktopConfig } from './config.ts'

/** Where the parts of a data folder lie. */
export function placesOf({ home, objects }: Pick<DesktopConfig, 'home' | 'objects'>): Places {
  return { dataDir: join(home, 'db'), objects, backups: join(home, 'backups'), snapshot: join(cacheFolder(home), SNAPSHOT_NAME) }
}

/**
 * Does what a person chose for a database that cannot be opened. It holds the lock of the data folder meanwhile.
 * @throws LoomError UNAVAILABLE with `owner_pid` while another process has the folder; as each choice says
 */
export async function recover(config: Pick<DesktopConfig, 'home' | 'objects'>, choice: RecoveryChoice): Promise<RecoveryDone> {
  await using _lock = await lockDataFolder(config.home)
  const places = placesOf(config)
  await finishMoves(places.dataDir)
  switch (choice.do) {
    case 'survey':
      return { did: 'survey', survey: await survey(places) }
    case 'restore':
      return { did: 'restore', ...(await restoreBeside(places, choice.backup_id, randomUUID())) }
    case 'fresh':
      return { did: 'fresh', kept: await startFresh(places) }
    case 'export':
      return { did: 'export', ...(await salvage(places.dataDir, choice.folder, new Date())) }
  }
}
