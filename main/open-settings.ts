import { createSettings, type DesktopSettings } from '../shared/engine/desktop-settings/settings.ts'
import { openSettingsFile } from '../shared/engine/desktop-settings/settings-file.ts'
import type { DesktopConfig } from './config.ts'

/**
 * The person's settings of a data folder, under what the environment says.
 * @throws LoomError INVALID_ARGUMENT naming the setting of `settings.json` that is wrong
 */
export async function openSettings(
  config: Pick<DesktopConfig, 'home' | 'port' | 'portNamed' | 'embeddingModel' | 'modelNamed'>,
): Promise<DesktopSettings> {
  return createSettings(await openSettingsFile(config.home), {
    ...(config.portNamed && { 'server.port': config.port }),
    ...(config.modelNamed && { 'embedding.model': config.embeddingModel }),
  })
}
