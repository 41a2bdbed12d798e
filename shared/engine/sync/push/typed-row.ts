import type { ShapeName } from '../../shapes/definitions.ts'
import { recordId } from '../../store/records.ts'
import type { ReadChange } from './read-change.ts'

/** The shape whose rows an operation on schemas or records writes; null for every other operation. */
export function typedShapeOf(op: string): Extract<ShapeName, 'records' | 'schemas'> | null {
  if (op.startsWith('memory.record.')) return 'records'
  return op.startsWith('memory_schema.') ? 'schemas' : null
}

const text = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'bigint' || typeof value === 'number' ? value.toString() : ''

/** The row that an operation on schemas or records left, by the key of its shape. */
export function typedRowOf(
  { op, identity, input }: Pick<ReadChange, 'op' | 'identity' | 'input'>,
  answer: Readonly<Record<string, unknown>>,
): { readonly shape: ShapeName; readonly key: readonly string[] } | null {
  const shape = typedShapeOf(op)
  if (shape === null || answer['version'] === undefined || answer['found'] === false) return null
  const version = text(answer['version'])
  if (shape === 'schemas') return { shape, key: [identity.org, identity.namespace, text(input['schema']), version] }
  const id = text(answer['record_id']) || recordId(identity, text(input['schema']), text(input['record_key']))
  return { shape, key: [identity.org, id, version] }
}
