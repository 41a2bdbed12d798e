import { isObject, type Json } from './json.ts'
import { compactJson } from './stored-form.ts'

/** The text of a value as a person wrote it: the string itself, for any other JSON its compact form. */
export function valueText(value: Json): string {
  return typeof value === 'string' ? value : compactJson(value)
}

function paths(value: Json, path: string, into: string[]): void {
  if (isObject(value)) for (const [name, member] of Object.entries(value)) paths(member, path ? `${path}.${name}` : name, into)
  else if (Array.isArray(value)) value.forEach((member: Json, at) => paths(member, path ? `${path}.${at}` : `${at}`, into))
  else into.push(path ? `${path}: ${valueText(value)}` : valueText(value))
}

const MOST_STEPS = 100
const MOST_OF_STEP = 2000

const isStepText = (text: Json | undefined): text is string => typeof text === 'string' && text.trim() !== '' && text.length <= MOST_OF_STEP

/** A text, or what to do, with how it is checked and why. */
function isStep(step: Json): boolean {
  if (!isObject(step)) return isStepText(step)
  return isStepText(step['do']) && ['check', 'why'].every((name) => step[name] === undefined || typeof step[name] === 'string')
}

/** A procedure body is an object with 1 to 100 `steps`, each a text or {do, check, why}, whatever else it holds. */
export function isProcedureBody(value: Json): boolean {
  if (!isObject(value) || !Array.isArray(value['steps'])) return false
  const steps: readonly Json[] = value['steps']
  return steps.length > 0 && steps.length <= MOST_STEPS && steps.every(isStep)
}

function procedureText(value: { readonly [name: string]: Json }): string {
  const parts = [value['title'], value['situation']].filter((part): part is string => typeof part === 'string' && part !== '')
  const steps = (value['steps'] as readonly Json[]).map((step) => (isObject(step) ? valueText(step['do'] ?? '') : valueText(step)))
  return [...parts, ...steps].join('; ')
}

/**
 * What is judged, embedded and quoted: the string; of an object its string member `claim`; of a procedure body title,
 * situation and steps; of other JSON each scalar as `path: value`.
 */
export function claimText(value: Json): string {
  if (typeof value === 'string') return value
  if (isObject(value) && typeof value['claim'] === 'string') return value['claim']
  if (isObject(value) && isProcedureBody(value)) return procedureText(value)
  const parts: string[] = []
  paths(value, '', parts)
  return parts.join('; ')
}

/** The first characters of a text, never half a surrogate pair. */
export function firstCharacters(text: string, most: number): string {
  if (text.length <= most) return text
  const end = /[\uD800-\uDBFF]/.test(text.charAt(most - 1)) ? most - 1 : most
  return text.slice(0, end)
}
