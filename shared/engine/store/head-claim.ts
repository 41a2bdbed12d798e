import { parseJson } from '../../contract/json.ts'
import { claimText } from '../../domain/claim/claim-text.ts'
import type { Json } from '../../domain/claim/json.ts'
import type { Head } from './memories.ts'

/** What a stored row says: what is judged, embedded and quoted of it. */
export const claimOfHead = ({ value }: Pick<Head, 'value'>): string => claimText(parseJson(value ?? 'null') as Json)
