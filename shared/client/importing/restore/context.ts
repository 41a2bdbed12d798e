import type { Client } from '../../create-client.ts'
import { isLoomError } from '../../../contract/errors.ts'
import type { Fields, Place, Problem } from '../found.ts'
import type { Tally } from '../report.ts'

/** What putting something of a Loom export back needs to know. */
export interface Restoring {
  readonly client: Client
  /** Where it goes; the rest of a row's identity is its own. */
  readonly place: { readonly org?: string; readonly namespace?: string }
  readonly dryRun: boolean
  readonly options: { readonly signal?: AbortSignal }
  readonly tally: Tally
}

/** Whose a row is. */
export const ownerOf = ({ agent, user_id, session_id }: Fields): Fields => ({ agent, user_id, session_id })

/** Classes that a call may name; the others are stamped by who writes. */
const LOWEST: ReadonlySet<string> = new Set(['external', 'imported', 'derived'])
export const classOf = ({ source_class }: Fields): Fields => (LOWEST.has(String(source_class)) ? { source_class } : {})

/** After these nothing more can be stored. */
const ENDS: ReadonlySet<string> = new Set(['CANCELLED', 'UNAVAILABLE', 'STORAGE_FULL', 'UNAUTHENTICATED'])

export const notStored = (at: Place, error: unknown, what = ''): Problem => ({
  ...at,
  code: 'NOT_STORED',
  message: `${what}${error instanceof Error ? error.message : String(error)}`,
})

/** What Loom refuses is told with its line, and the rest goes on; a blocked pattern is no fault of it. Answers null where it was refused. */
export async function orTold<T>(at: Place, { tally }: Restoring, what: string, run: () => Promise<T>): Promise<T | null> {
  try {
    return await run()
  } catch (error) {
    if (!isLoomError(error) || ENDS.has(error.code)) throw error
    if (error.code === 'BLACKLISTED') tally.left('blocked')
    else tally.problem(notStored(at, error, `${what}: `))
    return null
  }
}
