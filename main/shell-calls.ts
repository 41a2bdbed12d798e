import { LoomError } from '../shared/contract/errors.ts'
import { SHELL_CALLS, type ShellAnswers, type ShellCallName } from '../shared/contract/shell-calls.ts'
import type { z } from 'zod'
import { failure } from './recover-window.ts'

type InputOf<N extends ShellCallName> = z.output<(typeof SHELL_CALLS)[N]>

/** What does each call, for the page that asks. */
export type ShellActs = { readonly [N in ShellCallName]: (input: InputOf<N>) => Promise<ShellAnswers[N]> | ShellAnswers[N] }

/** Answers a call of one of our own pages as the engine answers its own: a value or an error, never a throw. */
export async function answerShell(acts: ShellActs, name: ShellCallName, input: unknown) {
  const read = SHELL_CALLS[name].safeParse(input ?? {})
  if (!read.success) return failure(new LoomError('INVALID_ARGUMENT', `${name} does not take that.`))
  try {
    const act = acts[name] as (input: unknown) => Promise<object> | object
    return { ok: true as const, value: await act(read.data) }
  } catch (error) {
    return failure(error)
  }
}
