import { LoomError } from '../../contract/errors.ts'
import type { CallContext } from '../handler.ts'
import type { Backups } from './port.ts'

/** @throws LoomError UNAVAILABLE for a store that lies in no data folder */
export function backupsOf({ parts }: Pick<CallContext, 'parts'>): Backups {
  if (parts.backups === null) throw new LoomError('UNAVAILABLE', 'This Loom keeps its data in no folder, so there is nothing to back up.')
  return parts.backups
}
