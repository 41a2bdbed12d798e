import { createHash } from 'node:crypto'

/** Lowercase hex of a text's UTF-8. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
