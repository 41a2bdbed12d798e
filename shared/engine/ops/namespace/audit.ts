import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { NAMESPACE_CHECKS, namespaceAudit as contract } from '../../../contract/ops/namespace/audit.ts'
import { defineRead } from '../../handler.ts'
import { ADVICE, isValueCheck, runStoreCheck, runValueChecks, storeChecks, type Found } from '../../read/namespace-checks.ts'
import { inSelector, isLiveRow } from '../../read/rows-in-scope.ts'

const NONE: Found = { count: 0, examples: [] }

export const namespaceAudit = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { db, now } = context
  const asked = NAMESPACE_CHECKS.filter((check) => input.checks === undefined || input.checks.includes(check))
  const stored = storeChecks(context)
  const values = asked.some(isValueCheck) ? await runValueChecks(input.sample_limit, context) : null
  const checks: Output<typeof contract>['checks'] = []
  for (const check of asked) {
    const inStore = stored[check]
    const found = isValueCheck(check)
      ? (values?.[check] ?? NONE)
      : inStore
        ? await runStoreCheck(inStore, input.sample_limit, context)
        : NONE
    checks.push({
      check,
      severity: ADVICE[check].severity,
      count: found.count,
      examples: [...found.examples],
      advice: ADVICE[check].advice,
    })
  }
  const { rows } = await sql<{
    count: number
  }>`SELECT count(*)::int AS count FROM loom.memory m WHERE ${inSelector(context)} AND ${isLiveRow(now)}`.execute(db)
  return {
    checked_at: now.toISOString(),
    rows: rows[0]?.count ?? 0,
    hash_keys: checks.find(({ check }) => check === 'hash_keys')?.examples.map((example) => example.memory_key) ?? [],
    checks,
  }
})
