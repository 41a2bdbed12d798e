const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
/** East Asian wide and full-width letters, and pictures: two columns in a terminal. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|^\p{Extended_Pictographic}/u

/** Columns that a text takes in a terminal. */
export function columnsOf(text: string): number {
  let columns = 0
  for (const { segment } of segments.segment(text)) columns += WIDE.test(segment) ? 2 : 1
  return columns
}

/** The text cut to so many columns, with an ellipsis where something was cut. */
export function fit(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text
  let kept = ''
  let used = 1
  for (const { segment } of segments.segment(text)) {
    used += WIDE.test(segment) ? 2 : 1
    if (used > columns) break
    kept += segment
  }
  return `${kept}…`
}

export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - columnsOf(text)))
}

/**
 * A stored text on one line, without what a terminal would obey: control and direction characters that an agent
 * stored must not move the cursor or turn a line around.
 */
export function harmless(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
}
