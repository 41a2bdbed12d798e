import type { CallInput, Input } from '../../contract/declare.ts'
import type { MemoryType, Sensitivity, SourceClass } from '../../contract/common.ts'
import type { memoryUpdate } from '../../contract/ops/memory/update.ts'
import { LoomError } from '../../contract/errors.ts'
import { fold } from '../../domain/text/fold.ts'
import type { Triple } from '../store/attachments.ts'
import type { Head } from '../store/memories.ts'
import type { Content } from './content.ts'
import { checkExpiry, expiryOf } from './expiry.ts'
import { STAMPS, type Plan, type PlanOptions, type Target } from './plan.ts'
import { higherLevel, withTagFloor } from './sensitivity.ts'
import { isExpired } from './state.ts'

export type UpdateInput = Omit<Input<typeof memoryUpdate>, 'memory_key'>

const CHANGES = [
  'value', 'memory_type', 'tags', 'entities', 'relations', 'files', 'confidence', 'valid_at', 'valid_to', 'ttl_seconds', 'on_expire',
  'expire_reason', 'sensitivity', 'source_class', 'source_trace', 'source_resource_id', 'char_limit',
] as const satisfies readonly (keyof CallInput<typeof memoryUpdate>)[] // prettier-ignore

/** @throws LoomError INVALID_ARGUMENT when a call names neither a value nor another field. */
export function checkNamesAChange(input: UpdateInput): void {
  if (CHANGES.some((field) => input[field] !== undefined) || input.clear_expiry || input.revive) return
  throw new LoomError('INVALID_ARGUMENT', 'Name what to change: value, or another field of the row.', { field: 'value' })
}

function typeOf(asked: MemoryType, content: Content): { memory_type: MemoryType; retyped_from: string } {
  if (asked === 'procedural' && !content.isProcedure) return { memory_type: 'semantic', retyped_from: 'procedural' }
  return { memory_type: asked, retyped_from: '' }
}

/**
 * What a memory.update makes of the row it found: every field left out is kept; with a changed value files are detected
 * and the class is stamped anew, and sensitivity never falls below what the row had (CHG003, CHG058).
 */
export function planUpdate(input: UpdateInput, content: Content, head: Head, triples: readonly Triple[], options: PlanOptions): Plan {
  const { now, settings } = options
  const changed = head.value !== content.compact
  const revived = isExpired(head, now)
  const date = (given: string | null | undefined, kept: Date | null): Date | null =>
    given === undefined ? kept : given === null ? null : new Date(given)
  const validAt = date(input.valid_at, head.valid_at)
  const validTo = revived ? date(input.valid_to, null) : date(input.valid_to, head.valid_to)
  const namesValidTo = input.valid_to !== undefined && input.valid_to !== null
  checkExpiry(input, validAt, namesValidTo ? validTo : null)
  const tags = input.tags ?? head.tags
  const type = typeOf(input.memory_type ?? (head.memory_type as MemoryType), content)
  const detected = changed && options.autodetect ? content.detected : ''
  const sensitivity = withTagFloor(input.sensitivity ?? higherLevel(head.sensitivity as Sensitivity, detected), tags, settings)
  const kept = revived ? { ...head, expires_at: null, expiry_cleared: false } : head
  const target: Target = {
    ...type,
    tags,
    entities: input.entities ? [...new Set(input.entities.map(fold))] : head.entities,
    files: input.files ?? (changed ? [...content.files] : head.files),
    relations: input.relations ?? triples,
    confidence: input.confidence ?? head.confidence,
    valid_at: validAt,
    valid_to: input.clear_expiry ? null : validTo,
    sensitivity,
    sensitivity_stated: input.sensitivity !== undefined || head.sensitivity_stated,
    source_class: input.source_class ?? (changed ? STAMPS[options.kind] : (head.source_class as SourceClass)),
    source_trace: input.source_trace ?? head.source_trace,
    source_resource_id: input.source_resource_id ?? head.source_resource_id,
    run_id: input.run_id !== '' ? input.run_id : head.run_id,
    char_limit: input.char_limit === 0 ? null : (input.char_limit ?? head.char_limit),
    pinned: head.pinned,
    ...expiryOf(input, validTo, namesValidTo, kept, settings, { memoryType: type.memory_type, tags, sensitivity }, now),
  }
  const expiryChanged =
    head.expires_at?.getTime() !== target.expires_at?.getTime() ||
    head.on_expire !== target.on_expire ||
    head.valid_to?.getTime() !== target.valid_to?.getTime()
  const same = !changed && !expiryChanged && !revived && unchanged(head, target, triples)
  return { kind: same ? 'restatement' : 'revision', valueChanged: changed, expiryChanged, target }
}

function unchanged(head: Head, target: Target, triples: readonly Triple[]): boolean {
  const compared = [
    'memory_type',
    'confidence',
    'sensitivity',
    'source_class',
    'source_trace',
    'source_resource_id',
    'char_limit',
    'expire_reason',
  ] as const
  return (
    compared.every((field) => head[field] === target[field]) &&
    head.valid_at?.getTime() === target.valid_at?.getTime() &&
    (['tags', 'entities', 'files'] as const).every((field) => JSON.stringify(head[field]) === JSON.stringify(target[field])) &&
    JSON.stringify(triples) === JSON.stringify(target.relations)
  )
}
