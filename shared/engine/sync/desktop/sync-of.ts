import { LoomError } from '../../../contract/errors.ts'
import type { CallContext } from '../../handler.ts'
import type { DesktopSync } from './port.ts'

/** @throws LoomError UNKNOWN_OPERATION on a host that is no desktop */
export function syncOf({ parts }: Pick<CallContext, 'parts'>): DesktopSync {
  if (parts.sync === null)
    throw new LoomError('UNKNOWN_OPERATION', 'Syncing needs a desktop, and this is a server.', { host_needed: 'desktop' })
  return parts.sync
}
