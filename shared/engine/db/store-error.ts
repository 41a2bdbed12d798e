import { LoomError } from '../../contract/errors.ts'

const DISK_FULL = new Set(['53100', 'ENOSPC', 'EDQUOT'])
const AWAY = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  '57P01',
  '57P02',
  '57P03',
  '08000',
  '08003',
  '08006',
  '53300',
])
/** Serialization failure and deadlock: the same call goes through a moment later. */
const AGAIN = new Set(['40001', '40P01'])
/** What pg says without a code when a connection breaks or none is to be had in time. */
const BROKEN = /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

/** The typed error behind a failure of the database or its disk; null for any other. */
export function storeError(error: unknown): LoomError | null {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
  if (DISK_FULL.has(code)) {
    return new LoomError('STORAGE_FULL', 'The disk is full, and nothing was written. Make room and try again.', {}, { cause: error })
  }
  if (AWAY.has(code) || AGAIN.has(code) || (error instanceof Error && BROKEN.test(error.message))) {
    return new LoomError(
      'UNAVAILABLE',
      'The store cannot be reached at this moment; nothing was written. Try again.',
      { retry_after_s: 2 },
      { cause: error },
    )
  }
  return null
}
