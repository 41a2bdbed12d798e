import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LoomError } from '../../contract/errors.ts'
import { writeWhole } from '../db/whole-file.ts'
import type { SettingsFile } from './settings.ts'

const FILE = 'settings.json'

/**
 * `settings.json` of a data folder, which only its owner reads; written aside and renamed.
 * @throws LoomError INVALID_ARGUMENT when it holds no JSON object
 */
export async function openSettingsFile(home: string): Promise<SettingsFile> {
  const path = join(home, FILE)
  let stored = await read(path)
  // One write at a time: each writes what it was given whole.
  let writing: Promise<void> = Promise.resolve()
  return {
    get stored() {
      return stored
    },
    write(values) {
      const work = async (): Promise<void> => {
        await writeWhole(path, `${JSON.stringify(values, null, 2)}\n`)
        stored = values
      }
      const mine = writing.then(work, work)
      writing = mine.catch(() => {})
      return mine
    },
  }
}

async function read(path: string): Promise<Readonly<Record<string, unknown>>> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Told below, with the same words.
  }
  throw new LoomError(
    'INVALID_ARGUMENT',
    `${path} is not a JSON object of settings. Mend it, or move it away to start with the defaults.`,
    {
      field: FILE,
    },
  )
}
