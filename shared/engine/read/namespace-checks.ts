import { sql, type RawBuilder } from 'kysely'
import type { NamespaceCheck } from '../../contract/ops/namespace/audit.ts'
import { parseJson } from '../../contract/json.ts'
import { valueText } from '../../domain/claim/claim-text.ts'
import type { Json } from '../../domain/claim/json.ts'
import { asciiOnly } from '../../domain/claim/stored-form.ts'
import { valueAdvisories } from '../../domain/advisories.ts'
import { detectSensitivity } from '../../domain/sensitivity/detect.ts'
import type { ReadContext } from '../handler.ts'
import type { Head } from '../store/memories.ts'
import { ANONYMIZED_SHA256 } from '../write/anonymized.ts'
import { higherLevel } from '../write/sensitivity.ts'
import { inSelector, isLiveRow } from './rows-in-scope.ts'

export interface Example {
  readonly memory_key: string
  readonly memory_id: string
  readonly note: string
}
export interface Found {
  readonly count: number
  readonly examples: readonly Example[]
}
type Condition = RawBuilder<unknown>

export const ADVICE: Readonly<Record<NamespaceCheck, { readonly severity: 'info' | 'warning' | 'error'; readonly advice: string }>> = {
  hash_keys: { severity: 'info', advice: 'Give the fact a key that a person can read, with memory.move.' },
  conflicted: { severity: 'warning', advice: 'Settle the pair with conflicts.resolve.' },
  duplicates: { severity: 'warning', advice: 'Settle it with memory.dedup_resolve.' },
  orphan_duplicates: { severity: 'warning', advice: 'Bring them back with memory.resolve_orphan_duplicates.' },
  stale_proposals: { severity: 'warning', advice: 'Decide the proposal with memory.proposal_decide.' },
  base64: { severity: 'warning', advice: 'Store the text itself: no search reads base64.' },
  double_encoded: { severity: 'warning', advice: 'Store the object itself, or plain text with its facets in tags.' },
  oversized: { severity: 'warning', advice: 'Keep one claim as the value, and the document in knowledge.add.' },
  untagged: { severity: 'info', advice: 'Add tags, so that filters find it.' },
  no_entities: { severity: 'info', advice: 'Name the things it is about in entities.' },
  unlabelled_sensitive: { severity: 'error', advice: 'The sensitivity sweep labels it; or state a level with memory.update.' },
  embedded_high: { severity: 'error', advice: 'Write the row again, which drops its vectors.' },
  missing_vector: { severity: 'warning', advice: 'The background pass makes it once a model is loaded.' },
  other_model: { severity: 'warning', advice: 'The background pass makes it anew with the model in force.' },
  expired: { severity: 'warning', advice: 'The expiry sweep takes it within a minute; a lock holds it back.' },
  dangling_redirect: { severity: 'error', advice: 'Delete the row with memory.delete_version, or write its target again.' },
  unregistered_category: { severity: 'info', advice: 'Register the category, or link the key to another.' },
}

const EMBEDS = sql`m.memory_type IN ('semantic', 'procedural') AND m.sensitivity <> 'high' AND m.value IS NOT NULL AND m.content_sha256 <> ${ANONYMIZED_SHA256}`
const vector = (also: Condition): Condition =>
  sql`EXISTS (SELECT 1 FROM loom.memory_embedding e WHERE e.org = m.org AND e.memory_id = m.memory_id AND ${also})`
const STALE_MS = 30 * 24 * 3600 * 1000

/** Rows that leads end nowhere, or in a ring, within the 16 steps that a read follows. */
const DANGLES = sql`m.status IN ('redirect', 'superseded') AND (m.canonical_key <> '' OR m.superseded_by <> '') AND NOT EXISTS (
  WITH RECURSIVE step AS (
    SELECT m.canonical_key AS key, m.superseded_by AS id, 0 AS depth
    UNION ALL
    SELECT n.canonical_key, n.superseded_by, step.depth + 1 FROM step JOIN loom.memory n ON n.org = m.org AND n.namespace = m.namespace AND n.erased_by = ''
      AND (CASE WHEN step.id <> '' THEN n.memory_id = step.id ELSE n.memory_key = step.key END)
      AND n.status IN ('redirect', 'superseded', 'duplicate') WHERE step.depth < 16)
  SELECT 1 FROM step JOIN loom.memory t ON t.org = m.org AND t.namespace = m.namespace AND t.erased_by = ''
    AND (CASE WHEN step.id <> '' THEN t.memory_id = step.id ELSE t.memory_key = step.key END)
    AND t.status IN ('active', 'conflicted', 'duplicate'))`

/** What each check counts, over `loom.memory AS m` of the namespace; a note for an example. */
export function storeChecks(
  context: ReadContext,
): Partial<Record<NamespaceCheck, { readonly where: Condition; readonly note: Condition }>> {
  const { now, parts } = context
  const live = isLiveRow(now)
  const none = sql`''`
  const model = parts.models.embedder?.id ?? null
  return {
    hash_keys: {
      where: sql`${live} AND m.memory_key ~* '^([0-9a-f]{16,}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$'`,
      note: none,
    },
    conflicted: { where: sql`${live} AND m.status = 'conflicted'`, note: none },
    duplicates: { where: sql`${live} AND m.status = 'duplicate'`, note: sql`m.canonical_key` },
    orphan_duplicates: {
      where: sql`${live} AND m.status = 'duplicate' AND NOT EXISTS (SELECT 1 FROM loom.memory c WHERE c.org = m.org AND c.memory_id = m.duplicate_of
        AND c.erased_by = '' AND c.status NOT IN ('tombstoned', 'rejected'))`,
      note: sql`m.canonical_key`,
    },
    stale_proposals: {
      where: sql`m.status = 'proposed' AND m.created_at < ${new Date(now.getTime() - STALE_MS)}`,
      note: sql`m.created_at::text`,
    },
    untagged: { where: sql`${live} AND m.memory_type = 'semantic' AND m.tags = '{}'`, note: none },
    no_entities: { where: sql`${live} AND m.memory_type = 'semantic' AND m.entities = '{}'`, note: none },
    embedded_high: { where: sql`${live} AND m.sensitivity = 'high' AND ${vector(sql`true`)}`, note: none },
    missing_vector: { where: sql`${live} AND ${EMBEDS} AND NOT ${vector(sql`e.axis = 'value'`)}`, note: none },
    other_model: {
      where: sql`${live} AND ${EMBEDS} AND ${model}::text IS NOT NULL AND ${vector(sql`e.axis = 'value' AND e.model <> ${model}`)}`,
      note: none,
    },
    expired: {
      where: sql`m.status IN ('active', 'conflicted', 'duplicate') AND (m.expires_at <= ${now} OR m.valid_to <= ${now})`,
      note: sql`coalesce(m.expires_at, m.valid_to)::text`,
    },
    dangling_redirect: { where: DANGLES, note: sql`CASE WHEN m.canonical_key <> '' THEN m.canonical_key ELSE m.superseded_by END` },
    unregistered_category: {
      where: sql`${live} AND EXISTS (SELECT 1 FROM loom.memory_category k LEFT JOIN loom.namespace_category c
        ON c.org = k.org AND c.namespace = k.namespace AND c.category_key = k.category_key
        WHERE k.org = m.org AND k.namespace = m.namespace AND k.memory_key = m.memory_key AND k.rescinded_at IS NULL AND coalesce(c.retired, true))`,
      note: none,
    },
  }
}

/** @param also narrows what is looked at */
export async function runStoreCheck(
  check: { where: Condition; note: Condition },
  limit: number,
  context: ReadContext,
  also: Condition = sql`true`,
): Promise<Found> {
  const where = sql`${inSelector(context)} AND (${check.where}) AND ${also}`
  const { rows: counted } = await sql<{ count: number }>`SELECT count(*)::int AS count FROM loom.memory m WHERE ${where}`.execute(
    context.db,
  )
  const { rows } = await sql<Example>`SELECT m.memory_key, m.memory_id, ${check.note} AS note FROM loom.memory m WHERE ${where}
    ORDER BY m.memory_key COLLATE "C", m.memory_id LIMIT ${limit}`.execute(context.db)
  return { count: counted[0]?.count ?? 0, examples: rows }
}

const BATCH = 500
const VALUE_CHECKS = ['base64', 'double_encoded', 'oversized', 'unlabelled_sensitive'] as const
export type ValueCheck = (typeof VALUE_CHECKS)[number]
export const isValueCheck = (check: NamespaceCheck): check is ValueCheck => (VALUE_CHECKS as readonly string[]).includes(check)

/** The checks that read values, in one pass over the live rows. */
export async function runValueChecks(limit: number, context: ReadContext, also: Condition = sql`true`): Promise<Record<ValueCheck, Found>> {
  const { db, now, parts, identity } = context
  const settings = await parts.settings.get(db, identity.org, identity.namespace)
  const detects = settings.sensitivity_autodetect ?? parts.config.sensitivityAutodetect
  const found = Object.fromEntries(VALUE_CHECKS.map((check) => [check, { count: 0, examples: [] as Example[] }])) as Record<
    ValueCheck,
    { count: number; examples: Example[] }
  >
  const note = (check: ValueCheck, row: Example): void => {
    found[check].count++
    if (found[check].examples.length < limit) found[check].examples.push(row)
  }
  let after = ''
  for (;;) {
    const { rows } = await sql<Pick<Head, 'memory_key' | 'memory_id' | 'value' | 'sensitivity' | 'sensitivity_stated'>>`
      SELECT m.memory_key, m.memory_id, m.value, m.sensitivity, m.sensitivity_stated FROM loom.memory m
      WHERE ${inSelector(context)} AND ${isLiveRow(now)} AND m.value IS NOT NULL AND ${also} AND m.memory_id > ${after} ORDER BY m.memory_id LIMIT ${BATCH}`.execute(
      db,
    )
    for (const row of rows) {
      const value = parseJson(row.value ?? 'null') as Json
      const example = { memory_key: row.memory_key, memory_id: row.memory_id, note: '' }
      for (const advisory of valueAdvisories(value, asciiOnly(row.value ?? ''), parts.config.valueAdvisoryChars)) {
        const name = (advisory.split(':')[0] ?? '').replace('-', '_')
        if (isValueCheck(name as NamespaceCheck)) note(name as ValueCheck, example)
      }
      const level = row.sensitivity as Parameters<typeof higherLevel>[0]
      const detected = detects && !row.sensitivity_stated ? detectSensitivity(valueText(value)) : ''
      if (higherLevel(level, detected) !== level) note('unlabelled_sensitive', { ...example, note: detected })
    }
    after = rows.at(-1)?.memory_id ?? after
    if (rows.length < BATCH) return found
  }
}
