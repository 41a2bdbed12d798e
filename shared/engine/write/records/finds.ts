import type { Finds } from '../../../domain/records/schema.ts'
import { compilePattern } from '../blacklist.ts'

/** Looks for a pattern in linear time; without groups, the matcher needs only its states. */
export const finds: Finds = (pattern, text) => compilePattern(pattern).test(text)
