import { LoomError } from '../../contract/errors.ts'

/** Says why content is no document; `why` goes on after the name of the field. */
export function unreadable(why: string, field: 'text' | 'content_base64' = 'content_base64'): LoomError {
  return new LoomError('INVALID_ARGUMENT', `${field}: ${why}`, { field })
}
