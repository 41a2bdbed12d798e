import { RE2JS } from 're2js'
import { sql } from 'kysely'
import { LoomError } from '../../contract/errors.ts'
import { isObject, type Json } from '../../domain/claim/json.ts'
import type { Tx } from '../db/database.ts'
import { patternsBinding, type PatternRow } from '../store/blacklist.ts'

const compiled = new Map<string, RE2JS>()
const MOST_COMPILED = 1000

/** Compiles a pattern in RE2 syntax: linear time whatever the text. @throws when it does not compile. */
export function compilePattern(pattern: string): RE2JS {
  const known = compiled.get(pattern)
  if (known) return known
  const made = RE2JS.compile(pattern.normalize('NFC'))
  if (compiled.size >= MOST_COMPILED) compiled.clear()
  compiled.set(pattern, made)
  return made
}

function strings(value: Json, into: string[]): void {
  if (typeof value === 'string') into.push(value)
  else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      into.push(name)
      strings(member, into)
    }
  } else if (Array.isArray(value)) for (const member of value as readonly Json[]) strings(member, into)
}

/** What a pattern reads: the string itself, else every string in the value, keys too, one a line. */
export function blacklistText(value: Json): string {
  const found: string[] = []
  strings(value, found)
  return found.join('\n')
}

export function matchesPattern(patternType: string, pattern: string, text: string): boolean {
  if (patternType === 'regex') return compilePattern(pattern).matcher(text.normalize('NFC')).find()
  return text.normalize('NFKC').toLowerCase().includes(pattern.normalize('NFKC').toLowerCase())
}

/**
 * Refuses a value that a pattern of the namespace, its org or everybody matches.
 * @throws LoomError BLACKLISTED; the pattern's hits are counted by `countHit`.
 */
export async function passBlacklist(
  tx: Tx,
  org: string,
  namespace: string,
  value: Json,
  countHit: (blacklistId: string, patternOrg: string) => void,
): Promise<void> {
  refuseBlacklisted(await patternsBinding(tx, org, namespace), value, countHit)
}

/** The same with the patterns that bind the namespace at hand. */
export function refuseBlacklisted(
  patterns: readonly PatternRow[],
  value: Json,
  countHit: (blacklistId: string, patternOrg: string) => void,
): void {
  if (patterns.length === 0) return
  const text = blacklistText(value)
  const hit = patterns.find((row) => matchesPattern(row.pattern_type, row.pattern, text))
  if (!hit) return
  countHit(hit.blacklist_id, hit.org)
  throw new LoomError('BLACKLISTED', `The value matches a blocked pattern${hit.reason ? `: ${hit.reason}` : ''}. Nothing was stored.`, {
    blacklist_id: hit.blacklist_id,
    reason: hit.reason,
  })
}

export async function countBlacklistHit(tx: Tx, org: string, blacklistId: string, now: Date): Promise<void> {
  await sql`UPDATE loom.blacklist SET hits = hits + 1, last_hit_at = ${now} WHERE org = ${org} AND blacklist_id = ${blacklistId}`.execute(
    tx,
  )
}
