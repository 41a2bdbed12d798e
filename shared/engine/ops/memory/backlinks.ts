import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { memoryBacklinks as contract } from '../../../contract/ops/memory/backlinks.ts'
import { firstCharacters } from '../../../domain/claim/claim-text.ts'
import { defineRead, type ReadContext } from '../../handler.ts'
import { withinBound } from '../../identity.ts'
import { anyHead } from '../../read/any-head.ts'
import { evidenceItems } from '../../read/evidence-items.ts'
import { digestsNaming } from '../../store/digests.ts'
import { linksOf } from '../../store/graph.ts'
import { claimOfHead } from '../../store/head-claim.ts'
import { headsById, type Head } from '../../store/memories.ts'

type Answer = Output<typeof contract>

const EXCERPT = 200
const NOTHING = { versions: [], digests: [], links_in: [], links_out: [], evidence_count: 0, related: [] }

const isReadable = (head: Head | undefined, { caller }: ReadContext): head is Head =>
  head !== undefined && head.status !== 'tombstoned' && withinBound(caller, head)

async function versionsOf(head: Head, limit: number, { db }: ReadContext): Promise<Answer['versions']> {
  const rows = await db
    .selectFrom('memory_version')
    .select(['version', 'status', 'updated_at', 'actor'])
    .where('org', '=', head.org)
    .where('memory_id', '=', head.memory_id)
    .where('erased_by', '=', sql.lit(''))
    .where('lost', '=', false)
    .orderBy('version', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ version, status, updated_at, actor }) => ({
    version,
    version_text: version.toString(),
    status: status as Answer['versions'][number]['status'],
    updated_at: updated_at.toISOString(),
    actor,
  }))
}

async function linkLists(head: Head, limit: number, context: ReadContext): Promise<Pick<Answer, 'links_in' | 'links_out'>> {
  const links = await linksOf(context.db, head.org, [head.memory_id])
  const others = await headsById(
    context.db,
    head.org,
    links.flatMap((link) => [link.from_id, link.to_id]),
  )
  const list = (inward: boolean): Answer['links_in'] =>
    links
      .filter((link) => (inward ? link.to_id : link.from_id) === head.memory_id)
      .flatMap(({ from_id: from, to_id: to, relation, note, at }) => {
        const other = others.get(inward ? from : to)
        if (!isReadable(other, context)) return []
        return [{ memory_key: other.memory_key, memory_id: other.memory_id, relation, note, at: at.toISOString() }]
      })
      .slice(0, limit)
  return { links_in: list(true), links_out: list(false) }
}

/** Digests are of a whole user, and for those who see all of that user's. */
async function digestList(head: Head, limit: number, { db, caller }: ReadContext): Promise<Answer['digests']> {
  if (caller.claims.own_session) return []
  const digests = await digestsNaming(head, limit, db)
  return digests.map((digest) => ({
    digest_id: digest.digest_id,
    period: digest.period as Answer['digests'][number]['period'],
    period_start: digest.period_start.toISOString(),
  }))
}

/** Rows that gave way to this one, repeat it, lead to it, or were built from it. */
async function relatedTo(head: Head, limit: number, context: ReadContext): Promise<Answer['related']> {
  const { rows } = await sql<Head & { why: string }>`
    SELECT m.*, CASE WHEN m.status = 'superseded' THEN 'superseded by it' WHEN m.status = 'duplicate' THEN 'repeats it'
        WHEN m.status = 'redirect' THEN 'leads to it' ELSE 'built from it' END AS why
    FROM loom.memory m WHERE m.org = ${head.org} AND m.erased_by = '' AND m.memory_id <> ${head.memory_id} AND m.status <> 'tombstoned' AND (
      (m.status = 'superseded' AND m.superseded_by = ${head.memory_id}) OR (m.status = 'duplicate' AND m.duplicate_of = ${head.memory_id})
      OR (m.status = 'redirect' AND m.namespace = ${head.namespace} AND m.canonical_key = ${head.memory_key}
        AND m.agent = ${head.agent} AND m.user_id = ${head.user_id} AND m.session_id = ${head.session_id})
      OR m.memory_id IN (SELECT s.memory_id FROM loom.memory_summary s JOIN loom.memory h ON h.org = s.org AND h.memory_id = s.memory_id AND h.version = s.version
        WHERE s.org = ${head.org} AND s.source_id = ${head.memory_id}))
    ORDER BY m.updated_at DESC, m.memory_id`.execute(context.db)
  return rows
    .filter((row) => isReadable(row, context))
    .slice(0, limit)
    .map((row) => ({
      memory_key: row.memory_key,
      memory_id: row.memory_id,
      excerpt: row.sensitivity === 'high' || row.value === null ? '' : firstCharacters(claimOfHead(row), EXCERPT),
      why: [row.why],
    }))
}

export const memoryBacklinks = defineRead(contract, async (input, context): Promise<Answer> => {
  const head = await anyHead(input, context)
  if (!head) return { found: false, memory_key: input.memory_key ?? '', memory_id: input.memory_id ?? '', ...NOTHING }
  const evidence = await evidenceItems([head], context)
  return {
    found: true,
    memory_key: head.memory_key,
    memory_id: head.memory_id,
    versions: await versionsOf(head, input.limit, context),
    digests: await digestList(head, input.limit, context),
    ...(await linkLists(head, input.limit, context)),
    evidence_count: evidence.get(head.memory_id)?.length ?? 0,
    related: await relatedTo(head, input.limit, context),
  }
})
