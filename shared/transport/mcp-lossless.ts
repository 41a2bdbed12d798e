import { randomBytes } from 'node:crypto'

/**
 * The MCP SDK writes its HTTP answers with JSON.stringify, which refuses bigint. Integers past 2^53 therefore pass it
 * as marked strings, and the finished text gets the digits back. The mark is secret to this process, so that no
 * stored text can look like one.
 */
const MARK = `loom:int:${randomBytes(16).toString('hex')}:`
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, 'g')

/** The value with every bigint as a marked string. */
export function markIntegers(value: unknown): unknown {
  if (typeof value === 'bigint') return `${MARK}${value}`
  if (Array.isArray(value)) return value.map(markIntegers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, markIntegers(member)]))
}

/** Server-Sent Events with every marked string as the integer it stands for, event by event. */
export function restoringIntegers(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let held = ''
  return new TransformStream({
    transform(chunk, controller) {
      held += decoder.decode(chunk, { stream: true })
      const end = held.lastIndexOf('\n') + 1
      if (end === 0) return
      controller.enqueue(encoder.encode(restoreIntegers(held.slice(0, end))))
      held = held.slice(end)
    },
    flush(controller) {
      if (held !== '') controller.enqueue(encoder.encode(restoreIntegers(held)))
    },
  })
}

/** A JSON text with every marked string as the integer it stands for. */
export function restoreIntegers(text: string): string {
  return text.replace(MARKED, '$1')
}
