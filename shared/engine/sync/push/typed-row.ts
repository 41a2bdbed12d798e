import type { ShapeName } from '../../shapes/definitions.ts'
import { recordId } from '../../store/records.ts'
import type { ReadChange } from './read-change.ts'

/** The shape whose rows an operation on schemas, records or runs writes; null for every other operation. */
export function typedShapeOf(op: string): Extract<ShapeName, 'records' | 'schemas' | 'runs'> | null {
  if (op.startsWith('memory.record.')) return 'records'
  if (op.startsWith('run.')) return 'runs'
  return op.startsWith('memory_schema.') ? 'schemas' : null
}

const text = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'bigint' || typeof value === 'number' ? value.toString() : ''

/** The row that an operation on schemas, records or runs left, by the key of its shape. */
export function typedRowOf(
  { op, identity, input }: Pick<ReadChange, 'op' | 'identity' | 'input'>,
  answer: Readonly<Record<string, unknown>>,
): { readonly shape: ShapeName; readonly key: readonly string[] } | null {
  const shape = typedShapeOf(op)
  if (shape === null || answer['found'] === false) return null
  if (shape === 'runs') {
    const ran = answer['found'] === true || answer['run_id'] !== undefined
    return ran ? { shape, key: [identity.org, identity.namespace, text(answer['run_id']) || text(input['run_id'])] } : null
  }
  if (answer['version'] === undefined) return null
  const version = text(answer['version'])
  if (shape === 'schemas') return { shape, key: [identity.org, identity.namespace, text(input['schema']), version] }
  const id = text(answer['record_id']) || recordId(identity, text(input['schema']), text(input['record_key']))
  return { shape, key: [identity.org, id, version] }
}
