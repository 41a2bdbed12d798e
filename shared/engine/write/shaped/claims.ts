import type { Input, OpContract } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { decisionRecord } from '../../../contract/ops/decision/record.ts'
import { learningRecord } from '../../../contract/ops/learning/record.ts'
import { memorySet } from '../../../contract/ops/memory/set.ts'
import { procedureRecord } from '../../../contract/ops/procedure/record.ts'
import { profileSet } from '../../../contract/ops/profile/set.ts'
import type { Json } from '../../../domain/claim/json.ts'
import { fold } from '../../../domain/text/fold.ts'
import { slug } from '../../../domain/text/slug.ts'
import type { Identity } from '../../identity.ts'
import { sha256 } from '../../store/sha256.ts'
import type { ClaimInput } from '../plan.ts'

/** The claims of the operations that build a key and a value, and then are memory.set. */

/** What memory.set would be told, and the tag that is among its tags whatever else they are. */
interface Shaped {
  readonly memory_key: string
  readonly value: Json
  readonly memory_type: ClaimInput['memory_type']
  readonly tag?: string
}

type Shape<C extends OpContract> = (input: Input<C>, identity: Identity) => Shaped

function keyOf(kind: string, named: string | undefined, text: string): string {
  if (named !== undefined) return named
  return `${kind}/${slug(text, sha256)}`
}

const decision: Shape<typeof decisionRecord> = ({ title, decision: decided, rationale, alternatives, memory_key }) => ({
  memory_key: keyOf('decision', memory_key, title),
  value: { claim: `${title}: ${decided}`, title, decision: decided, rationale, alternatives },
  memory_type: 'semantic',
  tag: 'decision',
})

const learning: Shape<typeof learningRecord> = ({ lesson, situation, memory_key }) => ({
  memory_key: keyOf('learning', memory_key, lesson),
  value: { claim: lesson, situation },
  memory_type: 'semantic',
  tag: 'learning',
})

const procedure: Shape<typeof procedureRecord> = ({ title, situation, steps, notes, memory_key }) => ({
  memory_key: keyOf('procedure', memory_key, title),
  value: { title, situation, steps, notes },
  memory_type: 'procedural',
})

const encoded = (subject: string): string => subject.replaceAll('%', '%25').replaceAll('/', '%2F')

/** What the keys of a subject's profile begin with; the caller's own where none is named. */
export function profilePrefix({ user_id, agent }: Pick<Identity, 'user_id' | 'agent'>, subject?: string): string {
  return `profile/${encoded(subject ?? (user_id === '-' ? agent : user_id))}/`
}

const profile: Shape<typeof profileSet> = ({ attribute, value, subject }, identity) => ({
  memory_key: `${profilePrefix(identity, subject)}${attribute}`,
  value,
  memory_type: 'profile',
})

const SHAPES: Readonly<Record<string, Shape<OpContract>>> = {
  [decisionRecord.name]: decision,
  [learningRecord.name]: learning,
  [procedureRecord.name]: procedure,
  [profileSet.name]: profile,
}

export const isShaped = (op: string): boolean => Object.hasOwn(SHAPES, op)

function withTag(tags: readonly string[], tag: string): string[] {
  return tags.some((one) => fold(one) === tag) ? [...tags] : [...tags, tag]
}

/**
 * The claim of such an operation.
 * @param stored tags of the live row, which a call that names none keeps
 * @throws LoomError INVALID_ARGUMENT for a key that would be none, or a tag too many
 */
export function claimOf(op: string, input: Readonly<Record<string, unknown>>, identity: Identity, stored: readonly string[]): ClaimInput {
  const shape = SHAPES[op]
  if (!shape) throw new RangeError(`${op} builds no claim.`)
  const { memory_key, value, memory_type, tag } = shape(input, identity)
  const named = input['tags'] as readonly string[] | undefined
  const fields = Object.entries(input).filter(([name, given]) => name in memorySet.input.shape && given !== undefined)
  const tags = tag === undefined ? named : withTag(named ?? stored, tag)
  const claim = memorySet.input.safeParse({ ...Object.fromEntries(fields), ...(tags && { tags }), memory_key, value, memory_type })
  if (claim.success) return claim.data
  const [issue] = claim.error.issues
  const field = issue?.path.map(String).join('.') ?? ''
  throw new LoomError('INVALID_ARGUMENT', `${field}: what is made of the call ${issue?.message ?? 'is not valid'}.`, { field })
}
