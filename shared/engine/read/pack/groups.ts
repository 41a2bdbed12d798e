import { sql } from 'kysely'
import { analyse, type Analysis } from '../../../domain/judge/analyse.ts'
import { judge } from '../../../domain/judge/judge.ts'
import { wordOverlap } from '../../../domain/judge/overlap.ts'
import type { ReadContext } from '../../handler.ts'
import { claimOfHead } from '../../store/head-claim.ts'
import { headsById, type Head } from '../../store/memories.ts'
import { standingConflicts, type StandingConflict } from '../../store/standing-conflicts.ts'
import { isUnattested } from '../answer/sources.ts'
import { isInScope } from '../recall.ts'
import type { Scope } from '../search-scope.ts'
import type { Candidate, Candidates } from './candidates.ts'

export interface Grouped {
  /** Rows that go in together or not at all: a contested fact with what stands against it. */
  readonly groups: readonly (readonly Candidate[])[]
  readonly conflicts: readonly StandingConflict[]
  readonly externalDropped: number
}

/** Texts that share less than this in words are not judged: the rules find no sameness there. */
const WORTH_JUDGING = 0.5
/** Rows of one bundle, those that stand against others included. */
const MOST_ROWS = 500

/** Open duplicates among these rows, as the judge found them when they were written. */
async function duplicatePairs(ids: readonly string[], { db, identity }: ReadContext): Promise<Set<string>> {
  const { rows } = await sql<{ a: string; b: string }>`SELECT row_id AS a, peer_id AS b FROM loom.memory_pair
    WHERE org = ${identity.org} AND state = 'open' AND kind = 'duplicate' AND peer_version IS NULL
      AND row_id = any(${[...ids]}::text[]) AND peer_id = any(${[...ids]}::text[])`.execute(db)
  return new Set(rows.flatMap(({ a, b }) => [`${a} ${b}`, `${b} ${a}`]))
}

/** Cheap to ask of every two: whether the shorter has half of its words from the other. */
function sharesHalf(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [few, many] = a.size < b.size ? [a, b] : [b, a]
  let shared = 0
  for (const stem of few) if (many.has(stem)) shared++
  return 2 * shared >= few.size
}

/** Each fact once: of rows that say the same the one that stands first. */
async function withoutRepeats(rows: readonly Candidate[], context: ReadContext): Promise<Candidate[]> {
  const ids = rows.map(({ head }) => head.memory_id)
  const pairs = await duplicatePairs(ids, context)
  const kept: { readonly row: Candidate; readonly analysis: Analysis; readonly stems: ReadonlySet<string> }[] = []
  for (const row of rows) {
    const { head } = row
    const analysis = analyse({ key: head.memory_key, text: claimOfHead(head) })
    const stems = new Set(analysis.tokens.filter((token) => token.content).map((token) => token.stem))
    const repeats = kept.some(({ row: { head: said }, analysis: other, stems: others }) => {
      if (pairs.has(`${head.memory_id} ${said.memory_id}`)) return true
      if (head.memory_type === 'profile' || said.memory_type === 'profile') return false
      if (analysis.canonical === other.canonical) return true
      if (!sharesHalf(stems, others)) return false
      const similarity = wordOverlap(analysis, other)
      if (similarity < WORTH_JUDGING) return false
      const { finding } = judge(analysis, other, { similarity, relation: null })
      return finding === 'same' || finding === 'restates'
    })
    if (!repeats) kept.push({ row, analysis, stems })
  }
  return kept.map(({ row }) => row)
}

/** The rows that stand against these, and those that stand against them, as far as the caller may see them. */
async function withPeers(
  heads: readonly Head[],
  scope: Scope,
  context: ReadContext,
): Promise<{ readonly peers: Map<string, Head>; readonly conflicts: StandingConflict[] }> {
  const { org } = context.identity
  const peers = new Map<string, Head>()
  const known = new Set(heads.map((head) => head.memory_id))
  let conflicts: StandingConflict[] = []
  for (;;) {
    conflicts = await standingConflicts(context.db, org, [...known])
    const missing = [...new Set(conflicts.flatMap(({ rowId, peerId }) => [rowId, peerId]))].filter((id) => !known.has(id))
    const seen = [...(await headsById(context.db, org, missing)).values()].filter((head) => isInScope(head, scope) && !isUnattested(head))
    if (seen.length === 0 || known.size > MOST_ROWS) break
    for (const head of seen) {
      peers.set(head.memory_id, head)
      known.add(head.memory_id)
    }
  }
  return { peers, conflicts: conflicts.filter(({ rowId, peerId }) => known.has(rowId) && known.has(peerId)) }
}

/** What goes into a bundle, grouped; external rows that nobody attested are left out and counted. */
export async function groupsOf({ rows, scope }: Candidates, recalled: ReadonlySet<string>, context: ReadContext): Promise<Grouped> {
  const attested = rows.filter(({ head }) => !isUnattested(head))
  const { peers, conflicts } = await withPeers(
    attested.map(({ head }) => head),
    scope,
    context,
  )
  const contested = new Set(conflicts.flatMap(({ rowId, peerId }) => [rowId, peerId]))
  // Two that stand against each other are no repeats, however alike they read.
  const free = attested.filter(({ head }) => !contested.has(head.memory_id))
  const kept = new Set(await withoutRepeats(free, context))
  const byId = new Map(attested.map((row) => [row.head.memory_id, row]))
  const taken = new Set<string>()
  const groups: Candidate[][] = []
  for (const row of attested) {
    const { memory_id: id } = row.head
    if (taken.has(id) || (!contested.has(id) && !kept.has(row))) continue
    const together = [id]
    for (let at = 0; at < together.length; at++) {
      for (const { rowId, peerId } of conflicts) {
        const other = rowId === together[at] ? peerId : peerId === together[at] ? rowId : undefined
        if (other !== undefined && !together.includes(other)) together.push(other)
      }
    }
    for (const member of together) taken.add(member)
    groups.push(
      together.flatMap((member): Candidate[] => {
        const found = byId.get(member)
        const head = found?.head ?? peers.get(member)
        return head ? [{ head, section: row.section, why: found?.why ?? ['stands against it'], chunk: found?.chunk ?? null }] : []
      }),
    )
  }
  const known = (group: readonly Candidate[]): number => (group.every(({ head }) => recalled.has(head.memory_key)) ? 1 : 0)
  return {
    groups: groups.toSorted((a, b) => known(a) - known(b)),
    conflicts,
    externalDropped: rows.length - attested.length,
  }
}
