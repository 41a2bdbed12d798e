import { z } from 'zod'

/** JSON Schema of what a caller sends, to describe a field that is read leniently. */
export function inputShape(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...shape } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return shape
}
