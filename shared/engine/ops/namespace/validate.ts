import { sql, type RawBuilder } from 'kysely'
import type { Input, Output } from '../../../contract/declare.ts'
import { NAMESPACE_CHECKS } from '../../../contract/ops/namespace/audit.ts'
import { namespaceValidate as contract } from '../../../contract/ops/namespace/validate.ts'
import { defineRead, type ReadContext } from '../../handler.ts'
import { brokenChain, GATE_SEVERITY, gateStoreChecks, indexMismatch } from '../../read/gate-checks.ts'
import { ADVICE, isValueCheck, runStoreCheck, runValueChecks, storeChecks, type Found } from '../../read/namespace-checks.ts'
import { inSelector, isLiveRow } from '../../read/rows-in-scope.ts'

type Call = Input<typeof contract>
type Problem = Output<typeof contract>['problems'][number]

/** Rows that are too young for a check to count. */
function aged(check: string, input: Call, now: Date): RawBuilder<unknown> {
  const before = (seconds: number): RawBuilder<unknown> => sql`m.updated_at <= ${new Date(now.getTime() - seconds * 1000)}`
  if (check === 'conflicted') return before(input.conflict_age_seconds)
  return check === 'missing_vector' ? before(input.embed_grace_seconds) : sql`true`
}

async function problemsOf(input: Call, also: RawBuilder<unknown>, context: ReadContext): Promise<Problem[]> {
  const { now } = context
  const limit = input.sample_limit
  const problems: Problem[] = []
  const note = (check: Problem['check'], severity: Problem['severity'], { count, examples }: Found): void => {
    if (count > 0) problems.push({ check, severity, count, examples: [...examples] })
  }
  const stored = storeChecks(context)
  const values = await runValueChecks(limit, context, also)
  for (const check of NAMESPACE_CHECKS) {
    const inStore = stored[check]
    const narrowed = sql`${also} AND ${aged(check, input, now)}`
    const found = isValueCheck(check) ? values[check] : inStore && (await runStoreCheck(inStore, limit, context, narrowed))
    if (found) note(check, ADVICE[check].severity, found)
  }
  const gates = gateStoreChecks(input.confidence_floor, now)
  for (const check of ['low_confidence', 'head_mismatch'] as const)
    note(check, GATE_SEVERITY[check], await runStoreCheck(gates[check], limit, context, also))
  note('index_mismatch', GATE_SEVERITY.index_mismatch, await indexMismatch(limit, also, context))
  note('audit_chain', GATE_SEVERITY.audit_chain, await brokenChain(context))
  return problems
}

export const namespaceValidate = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { db, now } = context
  const named = [...new Set(input.keys)]
  const also = named.length === 0 ? sql`true` : sql`m.memory_key = any(${named}::text[])`
  const live = sql`${inSelector(context)} AND ${isLiveRow(now)} AND ${also}`
  const { rows } = await sql<{ count: number }>`SELECT count(*)::int AS count FROM loom.memory m WHERE ${live}`.execute(db)
  const { rows: there } = await sql<{ memory_key: string }>`SELECT DISTINCT m.memory_key FROM loom.memory m WHERE ${live}
    AND m.memory_key = any(${named}::text[])`.execute(db)
  const found = new Set(there.map((row) => row.memory_key))
  const missing = named.filter((key) => !found.has(key))
  const problems = await problemsOf(input, also, context)
  const fails = (severity: Problem['severity']): boolean => problems.some((problem) => problem.severity === severity)
  const ok = !fails('error') && !(input.strict && (fails('warning') || missing.length > 0))
  return { ok, checked: rows[0]?.count ?? 0, problems, missing_keys: missing }
})
