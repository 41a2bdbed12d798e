import { distance } from 'fastest-levenshtein'
import type { z } from 'zod'
import type { OpContract } from '../contract/declare.ts'
import { LoomError } from '../contract/errors.ts'

/** Longer names are noise. */
const LONGEST = 64

const bare = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, '')
const letters = (name: string): string => [...name].sort().join('')

/** A name is taken for a slip of another when so few letters differ: one in short names, two in longer ones. */
function isSlip(name: string, real: string): boolean {
  if (name.length > LONGEST) return false
  const lower = name.toLowerCase().replaceAll('-', '_')
  if (lower === real || lower.replaceAll('_', '') === real.replaceAll('_', '')) return true
  // Letters that changed places: two edits for the distance, one slip for the fingers.
  if (letters(lower) === letters(real)) return true
  const allowed = real.length <= 3 ? 1 : real.length <= 4 ? Math.min(1, real.length - 2) : 2
  return Math.abs(name.length - real.length) <= allowed && distance(lower, real) <= allowed
}

/** The real name that `name` was probably meant to be, or null. */
export function nearestName(name: string, real: readonly string[]): string | null {
  const slips = real.filter((candidate) => isSlip(name, candidate))
  slips.sort((a, b) => distance(bare(name), bare(a)) - distance(bare(name), bare(b)) || distance(name, a) - distance(name, b))
  return slips[0] ?? null
}

export interface KnownArguments {
  readonly known: Record<string, unknown>
  readonly ignored: readonly string[]
  readonly didYouMean: Readonly<Record<string, string>>
}

/**
 * Separates the fields that an operation has from those it has not (CHK002-005).
 * @throws LoomError INVALID_ARGUMENT for no object, UNKNOWN_ARGUMENT for a near miss on a write.
 */
export function knownArguments(contract: OpContract, input: unknown): KnownArguments {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new LoomError('INVALID_ARGUMENT', 'The arguments must be one JSON object.', { field: '' })
  }
  const real = Object.keys(contract.input.shape)
  const known: Record<string, unknown> = {}
  const ignored: string[] = []
  const didYouMean: Record<string, string> = {}
  for (const [name, value] of Object.entries(input)) {
    if (real.includes(name)) {
      known[name] = value
      continue
    }
    ignored.push(name)
    const nearest = nearestName(name, real)
    if (nearest !== null) didYouMean[name] = nearest
  }
  const slip = Object.entries(didYouMean)[0]
  if (contract.kind === 'write' && slip) {
    throw new LoomError('UNKNOWN_ARGUMENT', `${contract.name} has no field ${slip[0]}. Did you mean ${slip[1]}? Nothing was stored.`, {
      field: slip[0],
      did_you_mean: didYouMean,
    })
  }
  return { known, ignored, didYouMean }
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`),
    '',
  )
}

function firstIssue(error: z.ZodError): { field: string; message: string } {
  const issue = error.issues[0]
  if (!issue) return { field: '', message: 'is not valid' }
  if (issue.code === 'unrecognized_keys') {
    return { field: pathOf([...issue.path, issue.keys[0] ?? '']), message: 'is not a known field here' }
  }
  return { field: pathOf(issue.path), message: issue.message }
}

/**
 * Validates and defaults the known fields. `null` for an optional field counts as left out.
 * @throws LoomError INVALID_ARGUMENT with the path of the first bad field.
 */
export function parseArguments(contract: OpContract, known: Record<string, unknown>): Record<string, unknown> {
  const parsed = contract.input.safeParse(known)
  if (!parsed.success) {
    const { field, message } = firstIssue(parsed.error)
    throw new LoomError('INVALID_ARGUMENT', `${field || 'The call'}: ${message}.`, { field })
  }
  return parsed.data
}
