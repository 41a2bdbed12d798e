import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { LoomError } from '../../shared/contract/errors.ts'
import { builtFile } from '../../shared/engine/host/app-paths.ts'

/**
 * Hands `loom server …` over to the sync server's own program, in this process: it reads the arguments after `server`
 * from `process.argv` and sets the exit status.
 */
export async function runServerCommand(args: readonly string[]): Promise<number> {
  const file = builtFile('sync-server.js')
  if (!existsSync(file)) throw new LoomError('NOT_IMPLEMENTED', 'This build of Loom holds no sync server.')
  process.argv = [process.execPath, fileURLToPath(file), ...args]
  await import(file.href)
  return Number(process.exitCode ?? 0)
}
