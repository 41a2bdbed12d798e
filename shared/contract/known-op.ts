import { distance } from 'fastest-levenshtein'
import { LoomError } from './errors.ts'
import { REGISTRY, isOpName, type OpName } from './registry.ts'

const KNOWN = Object.keys(REGISTRY)

/** More than a third of the letters wrong is another word, not a slip. */
const SLIP = 1 / 3
/** Longer names are noise: no operation comes near, and a distance costs their length. */
const LONGEST = 64

/** The operation that a mistyped name most likely means, or undefined. */
export function nearestOp(name: string): string | undefined {
  if (name.length > LONGEST) return undefined
  let nearest: string | undefined
  let least = Infinity
  for (const known of KNOWN) {
    const apart = distance(name, known)
    if (apart < least) [nearest, least] = [known, apart]
  }
  return nearest !== undefined && least <= Math.ceil(nearest.length * SLIP) ? nearest : undefined
}

/**
 * The name as an operation.
 * @throws LoomError UNKNOWN_OPERATION, with the nearest one.
 */
export function requireOp(name: string): OpName {
  if (isOpName(name)) return name
  const shown = name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name
  const nearest = nearestOp(name)
  const advice = nearest === undefined ? 'GET /v1/openapi.json lists them all.' : `Did you mean ${nearest}?`
  throw new LoomError(
    'UNKNOWN_OPERATION',
    `There is no operation ${JSON.stringify(shown)}. ${advice}`,
    nearest === undefined ? {} : { did_you_mean: nearest },
  )
}
