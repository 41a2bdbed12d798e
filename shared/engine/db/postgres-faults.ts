import { sql, type Kysely } from 'kysely'
import { LoomError } from '../../contract/errors.ts'
import type { Tables } from './tables.ts'

/** What the schema is written for. */
const OLDEST_SERVER = 15
const OLDEST_PGVECTOR = [0, 7] as const

const GET_PGVECTOR =
  'Install it on the database server (Debian and Ubuntu: the package postgresql-<version>-pgvector; Docker: the image pgvector/pgvector:pg17), then start again.'

function cannotUse(message: string, cause?: unknown): LoomError {
  return new LoomError('UNAVAILABLE', message, { field: 'DATABASE_URL' }, { cause })
}

/**
 * Looks whether a server can hold the schema, before anything is made there.
 * @throws LoomError UNAVAILABLE when it is too old, or lacks pgvector.
 */
export async function checkServer(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{
    server: number
    pgvector: string | null
  }>`SELECT current_setting('server_version_num')::int / 10000 AS server,
    (SELECT coalesce(installed_version, default_version) FROM pg_available_extensions WHERE name = 'vector') AS pgvector`.execute(db)
  const { server, pgvector } = rows[0] ?? { server: 0, pgvector: null }
  if (server < OLDEST_SERVER) throw cannotUse(`DATABASE_URL names a Postgres ${server}; Loom needs Postgres ${OLDEST_SERVER} or later.`)
  if (pgvector === null) throw cannotUse(`The Postgres of DATABASE_URL has no pgvector. ${GET_PGVECTOR}`)
  const [major = 0, minor = 0] = pgvector.split('.').map(Number)
  const [oldestMajor, oldestMinor] = OLDEST_PGVECTOR
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor))
    throw cannotUse(
      `The Postgres of DATABASE_URL has pgvector ${pgvector}; Loom needs ${OLDEST_PGVECTOR.join('.')} or later. ${GET_PGVECTOR}`,
    )
}

const REASONS: Readonly<Record<string, (place: string, code: string) => string>> = {
  '28P01': (place) => `${place} refuses the user or the password of DATABASE_URL.`,
  '28000': (place) => `${place} refuses the user of DATABASE_URL (pg_hba.conf may say why).`,
  '3D000': (place) => `${place} has no database of the name in DATABASE_URL. Make it with createdb.`,
  '42501': (place) =>
    `The user of DATABASE_URL may not make the schema loom or the extension vector on ${place}. Grant CREATE on the database.`,
  '53300': (place) => `${place} takes no more connections. Raise max_connections, or stop what holds them.`,
}

/** The error of a start on a Postgres that cannot be used, in words that say what to do; anything else as it came. */
export function startFault(error: unknown, url: string): unknown {
  if (error instanceof LoomError) return error
  const code = codeOf(error)
  const place = `The Postgres at ${placeOf(url)}`
  const reason = REASONS[code]
  if (reason) return cannotUse(reason(place, code), error)
  if (/^(E[A-Z]+|08\d{3}|57P0\d)$/.test(code) || /timeout|terminated/i.test(String(error)))
    return cannotUse(
      `${place} cannot be reached${code ? ` (${code})` : ''}. Check DATABASE_URL, and that the server runs and listens there.`,
      error,
    )
  return error
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}

/** Host and port alone: an address may hold a password anywhere else. */
function placeOf(url: string): string {
  const { hostname, port } = new URL(url)
  return `${hostname || 'the local socket'}:${port || '5432'}`
}
