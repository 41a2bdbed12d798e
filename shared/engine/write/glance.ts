import type { CallContext, PrepareContext } from '../handler.ts'
import type { Identity } from '../identity.ts'
import { patternsBinding, type PatternRow } from '../store/blacklist.ts'
import { activeWithCanonical, headAt, type Head } from '../store/memories.ts'
import type { Content } from './content.ts'

/** What the store holds of a claim: its key, and its text under any key. */
export interface Glance {
  readonly identity: Identity
  readonly key: string
  readonly head: Head | null
  /** Ids of the active rows whose canonical text is the claim's. */
  readonly equal: readonly string[]
  /** Patterns of the blacklist that bind the namespace. */
  readonly patterns: readonly PatternRow[]
  /** The database's count of writes before it was read. */
  readonly writes: number | null
}

export async function glanceAt(content: Content, { db, identity, parts }: PrepareContext): Promise<Glance> {
  const writes = parts.database.writes()
  const head = await headAt(db, identity, content.key)
  const equal = await activeWithCanonical(db, identity.org, identity.namespace, content.canonicalSha256)
  const patterns = await patternsBinding(db, identity.org, identity.namespace)
  return { identity, key: content.key, head, equal, patterns, writes }
}

/** Whether what was read of this key still holds, as nothing was written since by anyone. */
export function stillHolds(glance: Glance | null, key: string, { identity, parts }: CallContext): glance is Glance {
  return (
    glance !== null &&
    glance.identity === identity &&
    glance.key === key &&
    glance.writes !== null &&
    glance.writes === parts.database.writes()
  )
}
