import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Path of the first of these programs that is on PATH, or null. */
export function findProgram(...names: readonly string[]): string | null {
  for (const name of names)
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      const path = join(folder, name)
      try {
        accessSync(path, constants.X_OK)
        return path
      } catch {
        continue
      }
    }
  return null
}
