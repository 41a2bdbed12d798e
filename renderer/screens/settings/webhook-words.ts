import { ERRORS, noConnection } from './webhook-strings.ts'

const CONNECTION = 'connection: '

/** Why an attempt failed, in words where there are some. */
export function reasonWords(error: string): string {
  return error.startsWith(CONNECTION) ? noConnection(error.slice(CONNECTION.length)) : (ERRORS[error] ?? error)
}

/** How an attempt went: why it failed, else the status that came back. */
export function outcomeWords(status: number | null, error: string): string {
  if (error !== '') return reasonWords(error)
  return status === null ? '' : `it answered ${status}`
}
