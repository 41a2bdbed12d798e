import type { Caller } from '../caller.ts'
import type { WriteContext } from '../handler.ts'
import type { Identity } from '../identity.ts'
import type { EngineParts } from '../parts.ts'
import { transact } from '../transact.ts'

export interface BatchOptions {
  readonly actor: string
  readonly caller: Caller
  readonly identity: Identity
  readonly now: Date
}

/** One transaction of its own, with what a call's write has: events and the search index follow the commit. */
export async function writeBatch<T>(parts: EngineParts, options: BatchOptions, work: (context: WriteContext) => Promise<T>): Promise<T> {
  return transact({ ...options, given: {}, parts, degraded: new Set() }, work)
}
