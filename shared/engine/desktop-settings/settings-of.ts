import { LoomError } from '../../contract/errors.ts'
import type { CallContext } from '../handler.ts'
import type { DesktopSettings } from './settings.ts'

/** @throws LoomError UNKNOWN_OPERATION on a host that is no desktop */
export function settingsOf({ parts }: Pick<CallContext, 'parts'>): DesktopSettings {
  if (parts.desktopSettings === null)
    throw new LoomError('UNKNOWN_OPERATION', 'These settings are a desktop’s, and this is a server.', { host_needed: 'desktop' })
  return parts.desktopSettings
}
