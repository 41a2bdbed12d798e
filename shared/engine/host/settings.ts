import { z } from 'zod'
import { LoomError } from '../../contract/errors.ts'

/** One variable of the environment: how it reads, and what it is for. */
export interface Setting<T> {
  readonly name: `LOOM_${string}` | 'DATABASE_URL' | 'ELECTRIC_URL'
  /** What a value must be, in words that complete "it must be …". */
  readonly expects: string
  readonly default: T
  readonly about: string
  readonly schema: z.ZodType<T, string>
  /** Never shown, in no message and no log. */
  readonly secret?: boolean
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Reads one setting; unset and empty both mean the default. A wrong value is added to `faults`. */
export function readSetting<T>(env: Environment, setting: Setting<T>, faults: string[]): T {
  const given = env[setting.name]
  if (given === undefined || given === '') return setting.default
  const parsed = setting.schema.safeParse(given)
  if (parsed.success) return parsed.data
  const shown = setting.secret ? 'Its value' : JSON.stringify(given.length > 100 ? `${given.slice(0, 100)}…` : given)
  faults.push(`${setting.name}: ${shown} does not do; it must be ${setting.expects}.`)
  return setting.default
}

/** @throws LoomError INVALID_ARGUMENT that names every faulty setting. */
export function refuseFaults(faults: readonly string[]): void {
  if (faults.length === 0) return
  const field = faults[0]?.split(':')[0]
  throw new LoomError('INVALID_ARGUMENT', `Loom cannot start with these settings.\n${faults.map((fault) => `  ${fault}`).join('\n')}`, {
    field,
  })
}

const digits = z
  .string()
  .trim()
  .regex(/^[+-]?\d+$/)
  .transform(Number)
const decimal = z
  .string()
  .trim()
  .regex(/^[+-]?(?:\d+\.?\d*|\.\d+)$/)
  .transform(Number)

/** A whole number; without `most` only what a double holds exactly bounds it. */
export const whole = (least: number, most: number = Number.MAX_SAFE_INTEGER): z.ZodType<number, string> =>
  digits.pipe(z.number().min(least).max(most))

export const numeric = (least: number, most: number): z.ZodType<number, string> => decimal.pipe(z.number().min(least).max(most))

export const yesOrNo: z.ZodType<boolean, string> = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.enum(['true', 'false']).transform((text) => text === 'true'))

export const oneOf = <const T extends string>(...choices: readonly [T, ...T[]]): z.ZodType<T, string> =>
  z.string().trim().pipe(z.enum(choices))

/** An http or https address, without the slash at its end. */
export const webAddress: z.ZodType<string, string> = z.url({ protocol: /^https?$/ }).transform((text) => text.replace(/\/+$/, ''))
