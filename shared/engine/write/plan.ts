import type { Input } from '../../contract/declare.ts'
import { LoomError } from '../../contract/errors.ts'
import type { MemoryType, Sensitivity, SourceClass } from '../../contract/common.ts'
import type { memorySet } from '../../contract/ops/memory/set.ts'
import type { NamespaceSettings } from '../../contract/ops/namespace/register.ts'
import { fold } from '../../domain/text/fold.ts'
import type { Triple } from '../store/attachments.ts'
import type { Head } from '../store/memories.ts'
import type { Content } from './content.ts'
import { checkExpiry, expiryOf, type Expiry } from './expiry.ts'
import { withTagFloor } from './sensitivity.ts'
import { checkTrial } from './trial.ts'
import { isHeld } from './state.ts'

export type ClaimInput = Input<typeof memorySet>

/** The fields of a row that a write decides. */
export interface Target extends Expiry {
  readonly memory_type: MemoryType
  readonly retyped_from: string
  readonly tags: readonly string[]
  readonly entities: readonly string[]
  readonly files: readonly string[]
  readonly relations: readonly Triple[]
  readonly confidence: number
  readonly valid_at: Date | null
  readonly valid_to: Date | null
  readonly sensitivity: Sensitivity
  readonly sensitivity_stated: boolean
  readonly source_class: SourceClass
  readonly source_trace: string
  readonly source_resource_id: string
  readonly run_id: string
  readonly char_limit: number | null
  readonly pinned: boolean
}

export interface Plan {
  readonly kind: 'new' | 'revision' | 'restatement'
  readonly valueChanged: boolean
  readonly expiryChanged: boolean
  readonly target: Target
}

/** Class that the server stamps; a call may only name a lower one. */
export const STAMPS = { human: 'user', process: 'agent' } as const

export interface PlanOptions {
  readonly kind: 'human' | 'process'
  readonly autodetect: boolean
  readonly settings: NamespaceSettings
  readonly now: Date
}

const date = (text: string | null | undefined): Date | null => (text === null || text === undefined ? null : new Date(text))
const sameTime = (a: Date | null, b: Date | null): boolean => a?.getTime() === b?.getTime()

function sameTags(a: readonly string[], b: readonly string[]): boolean {
  const set = new Set(a.map(fold))
  const other = new Set(b.map(fold))
  return set.size === other.size && [...set].every((tag) => other.has(tag))
}

const sameList = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((item, at) => item === b[at])
const lowered = (entities: readonly string[]): string[] => [...new Set(entities.map(fold))]

function typeOf(input: ClaimInput, live: Head | null, content: Content): { memory_type: MemoryType; retyped_from: string } {
  const byDefault = input.classify && content.isProcedure ? 'procedural' : 'semantic'
  const asked = input.memory_type ?? (live?.memory_type as MemoryType | undefined) ?? byDefault
  if (asked === 'procedural' && !content.isProcedure) return { memory_type: 'semantic', retyped_from: 'procedural' }
  return { memory_type: asked, retyped_from: '' }
}

/**
 * What a memory.set becomes against the head it finds: a new row, a revision, or a restatement that only reinforces
 * (SET023, SET024; "Fields left out on a live key").
 * @throws LoomError INVALID_ARGUMENT for fields that contradict each other.
 */
export function planWrite(input: ClaimInput, content: Content, head: Head | null, options: PlanOptions): Plan {
  const { now, settings } = options
  const live = head && isHeld(head, now) ? head : null
  const same = live !== null && live.value === content.compact
  /** A field left out: on the same value as stored; with a changed value the call's alone, but for those kept. */
  const unlessSame = <T>(given: T | undefined, stored: T | undefined, fresh: T): T =>
    given ?? (same && stored !== undefined ? stored : fresh)
  const kept = <T>(given: T | undefined, stored: T | undefined, fresh: T): T => given ?? stored ?? fresh

  const type = typeOf(input, live, content)
  const tags = kept(input.tags, live?.tags, [])
  const level: Sensitivity = input.sensitivity !== '' ? input.sensitivity : options.autodetect ? content.detected : ''
  const sensitivity = withTagFloor(level, tags, settings)
  const validAt = input.valid_at === undefined ? (same ? (live?.valid_at ?? null) : null) : date(input.valid_at)
  const validTo = input.valid_to === undefined ? (live?.valid_to ?? null) : date(input.valid_to)
  const namesValidTo = input.valid_to !== undefined && input.valid_to !== null
  checkExpiry(input, validAt, namesValidTo ? validTo : null)
  checkTrial(input, live)
  const target: Target = {
    ...type,
    tags,
    entities: lowered(unlessSame(input.entities, live?.entities, [])),
    files: unlessSame(input.files, live?.files, [...content.files]),
    relations: input.relations ?? [],
    confidence: kept(input.confidence, live?.confidence, 1),
    valid_at: validAt,
    valid_to: input.clear_expiry ? null : validTo,
    sensitivity,
    sensitivity_stated: input.sensitivity !== '',
    source_class: unlessSame<SourceClass>(input.source_class, live?.source_class as SourceClass | undefined, STAMPS[options.kind]),
    source_trace: unlessSame(input.source_trace, live?.source_trace, ''),
    source_resource_id: unlessSame(input.source_resource_id, live?.source_resource_id, ''),
    run_id: input.run_id !== '' ? input.run_id : same ? (live?.run_id ?? '') : '',
    char_limit: input.char_limit === 0 ? null : (input.char_limit ?? live?.char_limit ?? null),
    pinned: input.pinned || (live?.pinned ?? false),
    ...expiryOf(input, validTo, namesValidTo, live, settings, { memoryType: type.memory_type, tags, sensitivity }, now),
  }
  if (!live) return { kind: 'new', valueChanged: true, expiryChanged: true, target }
  const expiryChanged =
    !sameTime(live.expires_at, target.expires_at) || live.on_expire !== target.on_expire || !sameTime(live.valid_to, target.valid_to)
  const restates =
    same &&
    !expiryChanged &&
    live.memory_type === target.memory_type &&
    sameTags(live.tags, target.tags) &&
    live.confidence === target.confidence &&
    sameTime(live.valid_at, target.valid_at) &&
    live.sensitivity === target.sensitivity &&
    sameList(live.files, target.files) &&
    live.source_resource_id === target.source_resource_id &&
    live.source_class === target.source_class
  return { kind: restates ? 'restatement' : 'revision', valueChanged: !same, expiryChanged, target }
}

/** @throws LoomError CHAR_LIMIT_EXCEEDED, counted in characters of the value text. */
export function passCharLimit(text: string, limit: number | null): void {
  if (limit === null) return
  const length = [...text].length
  if (length > limit) {
    throw new LoomError(
      'CHAR_LIMIT_EXCEEDED',
      `The value has ${length} characters; this row takes ${limit}. Shorten it, or send char_limit: 0.`,
      {
        char_limit: limit,
        length,
      },
    )
  }
}
