import type { OpContract } from '../../shared/contract/declare.ts'
import { isLoomError } from '../../shared/contract/errors.ts'
import { parseJson } from '../../shared/contract/json.ts'
import { type Field, fieldsOf } from './fields.ts'
import { nearest } from './nearest.ts'
import { UsageError } from './usage-error.ts'

/** What a command line asks of one operation. */
export interface Call {
  readonly input: Readonly<Record<string, unknown>>
  /** The raw answer instead of tables. */
  readonly json: boolean
  readonly help: boolean
}

/** Reads long values from where a flag points; `-` is standard input. */
export type ReadSource = (source: string) => Promise<string>

/** Flags that every operation takes besides its own fields. */
export const COMMON_FLAGS = ['json', 'help'] as const

/**
 * Turns the arguments after an operation's name into its input. Types are only translated here; ranges and
 * combinations are judged by the operation.
 * @throws UsageError saying what was wrong and what to type instead.
 */
export async function parseCall(contract: OpContract, args: readonly string[], read: ReadSource): Promise<Call> {
  const fields = new Map(fieldsOf(contract).map((field) => [field.name, field]))
  const given = new Map<Field, string[]>()
  const switched = new Map<Field, boolean>()
  const common = { json: false, help: false }

  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    if (arg === '-h') {
      common.help = true
      continue
    }
    if (!arg.startsWith('--') || arg === '--') throw strayWord(contract, arg)
    const equals = arg.indexOf('=')
    const flag = arg.slice(2, equals < 0 ? undefined : equals).replaceAll('-', '_')
    const inline = equals < 0 ? undefined : arg.slice(equals + 1)
    if ((flag === 'json' || flag === 'help') && inline === undefined) {
      common[flag] = true
      continue
    }
    const field = fields.get(flag)
    const off = !field && flag.startsWith('no_') ? fields.get(flag.slice(3)) : undefined
    if (off?.reading === 'boolean' && inline === undefined) switched.set(off, false)
    else if (!field) throw unknownFlag(contract, arg, flag, [...fields.keys()])
    else if (field.reading === 'boolean' && !field.list && inline === undefined) {
      const next = args[at + 1]
      if (next === 'true' || next === 'false' || (next === 'null' && field.nullable)) given.set(field, [args[++at] ?? ''])
      else switched.set(field, true)
    } else {
      const text = inline ?? args[++at]
      if (text === undefined) throw new UsageError(`--${field.name} needs a value.`)
      const texts = given.get(field) ?? []
      if (texts.length > 0 && !field.list) throw new UsageError(`--${field.name} was given twice, and takes one value.`)
      given.set(field, [...texts, text])
    }
  }
  if (common.help) return { input: {}, ...common }

  const input: Record<string, unknown> = Object.fromEntries([...switched].map(([field, value]) => [field.name, value]))
  const once = readStdinOnce(read)
  for (const [field, texts] of given) input[field.name] = await toValue(field, texts, once)
  const missing = [...fields.values()].filter((field) => field.required && !(field.name in input))
  if (missing.length > 0) throw new UsageError(`${contract.name} needs ${missing.map((field) => `--${field.name}`).join(' and ')}.`)
  return { input, ...common }
}

function strayWord(contract: OpContract, word: string): UsageError {
  const first = fieldsOf(contract).find((field) => field.required)
  const advice = first ? ` Name the field, such as --${first.name} ${JSON.stringify(word)}.` : ''
  return new UsageError(`${JSON.stringify(word)} stands alone.${advice}`)
}

function unknownFlag(contract: OpContract, arg: string, flag: string, names: readonly string[]): UsageError {
  const guess = nearest(flag, [...names, ...COMMON_FLAGS])
  const advice = guess ? `Did you mean --${guess}?` : `\`loom help ${contract.name}\` lists its fields.`
  return new UsageError(`${contract.name} has no field ${arg.split('=')[0]}. ${advice}`)
}

/** Standard input can be read once only: a second flag that asks for it is a mistake. */
function readStdinOnce(read: ReadSource): ReadSource {
  let taken = false
  return async (source) => {
    if (source === '-' && taken) throw new UsageError('Standard input can fill one field only.')
    taken ||= source === '-'
    try {
      return await read(source)
    } catch (error) {
      throw new UsageError(`Cannot read ${source}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

async function toValue(field: Field, texts: readonly string[], read: ReadSource): Promise<unknown> {
  const whole: string[] = []
  for (const text of texts) whole.push(await followSource(field, text, read))
  const [only] = whole
  if (!field.list) return toScalar(field, only ?? '')
  if (whole.length === 1 && only !== undefined) {
    if (field.nullable && only === 'null') return null
    // The whole list at once, as JSON.
    if (only.startsWith('[')) {
      const list = tryJson(only)
      if (list.ok && Array.isArray(list.value) && (field.reading !== 'object' || Array.isArray(list.value[0]) || list.value.length === 0))
        return list.value
    }
  }
  return whole.map((text) => toScalar({ ...field, nullable: false }, text))
}

/** `@path` and `-` stand for the content of a file and of standard input; `@@` is a real at sign. */
async function followSource(field: Field, text: string, read: ReadSource): Promise<string> {
  if (text === '-' && !field.hyphenIsValue) return withoutLastNewline(await read('-'))
  if (text.startsWith('@@')) return text.slice(1)
  if (text.startsWith('@') && text.length > 1) return withoutLastNewline(await read(text.slice(1)))
  return text
}

/** As a shell's `$(…)` does, for the one newline that editors add. */
function withoutLastNewline(text: string): string {
  return text.replace(/\r?\n$/, '')
}

function toScalar(field: Field, text: string): unknown {
  if (field.nullable && text === 'null') return null
  switch (field.reading) {
    case 'text':
      return text
    case 'boolean':
      if (text === 'true' || text === 'false') return text === 'true'
      throw new UsageError(`--${field.name} is true or false, not ${JSON.stringify(text)}.`)
    case 'integer':
      if (/^-?\d+$/.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)
      throw new UsageError(`--${field.name} is a whole number, not ${JSON.stringify(text)}.`)
    case 'number':
      if (text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
      throw new UsageError(`--${field.name} is a number, not ${JSON.stringify(text)}.`)
    case 'json':
      return toJson(field, text)
    case 'object': {
      const parsed = tryJson(text)
      if (parsed.ok) return parsed.value
      throw new UsageError(`--${field.name} is JSON, and this is not: ${parsed.why}`)
    }
  }
}

/** Text that is JSON is that value, any other text is itself; what only looks like JSON is asked about. */
function toJson(field: Field, text: string): unknown {
  const parsed = tryJson(text)
  if (parsed.ok) return parsed.value
  if (/^\s*(?:\{[^]*\}|\[[^]*\])\s*$/.test(text) && /^\s*[{[]\s*["{[\d]/.test(text))
    throw new UsageError(`--${field.name} looks like JSON but is not: ${parsed.why} To send it as text, quote it as a JSON string.`)
  return text
}

function tryJson(text: string): { ok: true; value: unknown } | { ok: false; why: string } {
  try {
    return { ok: true, value: parseJson(text) }
  } catch (error) {
    return { ok: false, why: isLoomError(error) ? error.message : String(error) }
  }
}
