/** Advice about values whose shape recall cannot reach. It never refuses a write. */

const MIN_BASE64 = 64
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/

/** A string of base64 characters alone, with both cases and a digit among them, of a length that decodes. */
function isBase64(text: string): boolean {
  const bare = text.trim().replace(/[\r\n]+/g, '')
  if (bare.length < MIN_BASE64 || !BASE64.test(bare)) return false
  if (!/[A-Z]/.test(bare) || !/[a-z]/.test(bare) || !/[0-9]/.test(bare)) return false
  if (/[+/]/.test(bare) && /[-_]/.test(bare)) return false
  const body = bare.replace(/=+$/, '')
  return bare.length === body.length ? body.length % 4 !== 1 : bare.length % 4 === 0
}

function isSerializedObject(text: string): boolean {
  if (!/^\s*\{/.test(text.slice(0, 1000)) || !/\}\s*$/.test(text.slice(-1000))) return false
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
  } catch {
    return false
  }
}

/**
 * The advisories of a value, each `name: advice`.
 * @param value the value as written
 * @param storedForm its stored form (compact JSON)
 * @param advisoryChars characters of stored form past which a value is oversized; 0 turns that advisory off
 */
export function valueAdvisories(value: unknown, storedForm: string, advisoryChars: number): string[] {
  const advisories: string[] = []
  if (typeof value === 'string' && isBase64(value)) {
    advisories.push('base64: this is base64-encoded bytes, which no search can read; send the text itself')
  }
  if (typeof value === 'string' && isSerializedObject(value)) {
    advisories.push(
      'double-encoded: this string holds a serialized JSON object; send the object itself, or plain text with its facets moved to tags',
    )
  }
  if (advisoryChars > 0 && storedForm.length > advisoryChars) {
    advisories.push(
      `oversized: ${storedForm.length} characters stored, over ${advisoryChars}; keep one claim as the value and send the document through knowledge.add`,
    )
  }
  return advisories
}
