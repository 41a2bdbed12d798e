import { contentOf } from './content.ts'

/** What an anonymized row says. */
export const ANONYMIZED = '[anonymized]'

/** Its hash, by which such a row is known: it is never embedded or judged again. */
export const ANONYMIZED_SHA256 = contentOf('', ANONYMIZED, 0).sha256
