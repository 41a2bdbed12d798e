import type { ErrorCode } from '../../contract/errors.ts'
import type { ReadDocument } from './read-document.ts'

/** What a worker that reads one document answers. Libraries in it post messages of their own, which have no such mark. */
export type DocumentAnswer = { readonly of: 'document' } & (
  | { readonly read: ReadDocument }
  | { readonly refused: { readonly code: ErrorCode; readonly message: string; readonly field: string } }
  | { readonly failed: string }
)
