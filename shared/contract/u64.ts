import { outputSchema, type JsonSchema } from './json-schema.ts'
import { REGISTRY, type OpName } from './registry.ts'

/** Where in a value the 64-bit integers are; null where there are none. */
type Plan = 'here' | { readonly fields: Readonly<Record<string, Plan>> } | { readonly items: Plan } | null

function planOf(schema: JsonSchema): Plan {
  if (schema.format === 'uint64') return 'here'
  if (Array.isArray(schema.anyOf)) return (schema.anyOf as JsonSchema[]).map(planOf).find((plan) => plan !== null) ?? null
  if (typeof schema.items === 'object' && schema.items !== null) {
    const items = planOf(schema.items as JsonSchema)
    return items === null ? null : { items }
  }
  const found = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).map(
    ([name, field]) => [name, planOf(field)] as const,
  )
  const fields = Object.fromEntries(found.filter((entry): entry is readonly [string, NonNullable<Plan>] => entry[1] !== null))
  return Object.keys(fields).length === 0 ? null : { fields }
}

function applied(plan: Plan, value: unknown): unknown {
  if (plan === null || value === null || value === undefined) return value
  if (plan === 'here') return typeof value === 'number' ? BigInt(value) : value
  if ('items' in plan) return Array.isArray(value) ? value.map((item) => applied(plan.items, item)) : value
  const revived = Object.entries(plan.fields).filter(([name]) => Object.hasOwn(value, name))
  const from = value as Record<string, unknown>
  return { ...from, ...Object.fromEntries(revived.map(([name, inner]) => [name, applied(inner, from[name])])) }
}

const plans = new Map<OpName, Plan>()

/**
 * An answer read from JSON, with its 64-bit integers as bigint also where they are small: on the wire 0 is just 0.
 * @throws RangeError for a fraction where the contract has an integer.
 */
export function withBigints(op: OpName, answer: Record<string, unknown>): Record<string, unknown> {
  let plan = plans.get(op)
  if (plan === undefined) plans.set(op, (plan = planOf(outputSchema(REGISTRY[op]))))
  return applied(plan, answer) as Record<string, unknown>
}
