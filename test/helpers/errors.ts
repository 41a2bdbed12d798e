import { expect } from 'vitest'
import type { ErrorCode } from '../../shared/contract/errors.ts'

/** Expects a call to be refused with this code, and answers the error for a closer look. */
export async function refused(
  call: Promise<unknown>,
  code: ErrorCode,
): Promise<{ code: string; message: string; fields: Record<string, unknown> }> {
  const outcome = await call.then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  )
  if (!('error' in outcome))
    throw new Error(
      `expected ${code}, and the call answered ${JSON.stringify(outcome.answer, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))}`,
    )
  expect(outcome.error).toMatchObject({ code })
  return outcome.error as never
}
