import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, readdir, rm, rmdir } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { writeWhole } from '../db/whole-file.ts'

/** Where the bytes of documents lie, outside the database. Names are paths with slashes, of the letters that `objectName` makes. */
export interface ObjectStore {
  /** Durable when it answers. */
  put(name: string, bytes: Uint8Array): Promise<void>
  /** Null: there is none of this name. */
  get(name: string): Promise<Uint8Array | null>
  /** One that is not there is no error. */
  remove(name: string): Promise<void>
  /** Names under a folder ("" for all), sorted. */
  list(folder: string): Promise<string[]>
}

/** Whose objects: a user left out, those of the namespace; a collection left out, those of the user. */
export interface ObjectPlace {
  readonly org: string
  readonly namespace?: string
  readonly user_id?: string
  readonly collection?: string
}

/** Users have names in any script, and any file system has to hold them. */
const userFolder = (userId: string): string => createHash('sha256').update(userId).digest('hex').slice(0, 32)
/** Ends in a sign that no device name of Windows has, nor a dot at its end. */
const folder = (name: string): string => `${name}~`

/** The folder of what belongs to a place. */
export function objectFolder({ org, namespace, user_id, collection }: ObjectPlace): string {
  const parts = [folder(org)]
  if (namespace !== undefined) parts.push(folder(namespace))
  if (user_id !== undefined) parts.push(userFolder(user_id))
  if (collection !== undefined) parts.push(folder(collection))
  return parts.join('/')
}

/** A name that was never used before, for the bytes of a document. */
export function objectName(place: Required<ObjectPlace>): string {
  return `${objectFolder(place)}/${randomUUID()}`
}

const NAME = /^[a-z0-9][a-z0-9._~-]*(?:\/[a-z0-9][a-z0-9._~-]*)*$/

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

/** Objects as files in a folder, which several processes may share. A file has its name only when it is whole. */
export function fileObjects(root: string): ObjectStore {
  const pathOf = (name: string): string => {
    if (!NAME.test(name) || name.includes('..')) throw new RangeError(`${name} is no name of an object.`)
    return join(root, ...name.split('/'))
  }

  return {
    async put(name, bytes) {
      const path = pathOf(name)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeWhole(path, bytes)
    },
    async get(name) {
      try {
        return await readFile(pathOf(name))
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    },
    async remove(name) {
      const path = pathOf(name)
      await rm(path, { force: true })
      // Folders that hold nothing any more would tell that they once did.
      for (let up = dirname(path); up.length > root.length; up = dirname(up)) {
        try {
          await rmdir(up)
        } catch {
          break
        }
      }
    },
    async list(under) {
      const top = under === '' ? root : pathOf(under)
      try {
        const found = await readdir(top, { recursive: true, withFileTypes: true })
        return (
          found
            // Those that a killed process left half written as well: they hold what was said.
            .filter((entry) => entry.isFile())
            .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
            .sort()
        )
      } catch (error) {
        if (isMissing(error)) return []
        throw error
      }
    },
  }
}

/** Objects that end with the process. */
export function memoryObjects(): ObjectStore {
  const held = new Map<string, Uint8Array>()
  return {
    put: async (name, bytes) => void held.set(name, Uint8Array.from(bytes)),
    get: async (name) => held.get(name) ?? null,
    remove: async (name) => void held.delete(name),
    list: async (under) => [...held.keys()].filter((name) => under === '' || name.startsWith(`${under}/`)).sort(),
  }
}
