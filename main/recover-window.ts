import { join } from 'node:path'
import { app, dialog, shell, type BrowserWindow, type UtilityProcess } from 'electron'
import { errorBody, LoomError } from '../shared/contract/errors.ts'
import type { RecoveryChoice, RecoveryDone, RecoveryView } from '../shared/contract/recovery.ts'
import type { ShellAnswers, SHELL_CALLS } from '../shared/contract/shell-calls.ts'
import type { z } from 'zod'
import type { FromRecovery } from './engine-messages.ts'

type Choice = z.output<(typeof SHELL_CALLS)['shell.recover']>
type Answer = ShellAnswers['shell.recover']

interface RecoverWindowOptions {
  readonly view: () => RecoveryView | null
  readonly window: () => BrowserWindow | null
  /** Starts the process that does a choice. */
  readonly fork: (choice: RecoveryChoice) => UtilityProcess
  /** The database is another one, or is to be tried again. */
  readonly restart: (forget: boolean) => Promise<void>
}

/** Does what a person chose on the recovery screen. Rejects with the LoomError of what went wrong. */
export function createRecovering({ view, window, fork, restart }: RecoverWindowOptions): (choice: Choice) => Promise<Answer> {
  let busy = false
  let counting: UtilityProcess | null = null

  const run = async (choice: RecoveryChoice): Promise<RecoveryDone> => {
    const child = fork(choice)
    if (choice.do === 'survey') counting = child
    const told = new Promise<FromRecovery | null>((resolve) => {
      child.once('message', (message: FromRecovery) => resolve(message))
      child.once('exit', () => resolve(null))
    })
    const answer = await told
    if (counting === child) counting = null
    if (answer === null)
      throw new LoomError('INTERNAL', 'The recovery ended before it was done. The damaged files are as they were. Try again.')
    if (!answer.ok) throw new LoomError(answer.error.code, answer.error.message, answer.error)
    return answer.value
  }
  /** What is counted in the meantime is of no use to whoever has decided. Its copies go at the next start. */
  const stopCounting = async (): Promise<void> => {
    const child = counting
    if (child === null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill()
    await gone
  }
  const folderFor = async (): Promise<string | null> => {
    const day = new Date().toISOString().slice(0, 10)
    const options = {
      title: 'Export what can be read',
      buttonLabel: 'Export here',
      defaultPath: join(app.getPath('documents'), `Loom export ${day}`),
    }
    const shown = window()
    const answer = await (shown ? dialog.showSaveDialog(shown, options) : dialog.showSaveDialog(options))
    return answer.canceled || !answer.filePath ? null : answer.filePath
  }
  const act = async (choice: Choice): Promise<RecoveryDone | null> => {
    switch (choice.do) {
      case 'show_folder': {
        const folder = view()?.folder
        if (folder !== undefined) shell.showItemInFolder(folder)
        return null
      }
      case 'retry':
        await restart(true)
        return null
      case 'export': {
        const folder = await folderFor()
        return folder === null ? null : await run({ do: 'export', folder })
      }
      case 'survey':
        return await run(choice)
      case 'restore':
      case 'fresh': {
        const done = await run(choice)
        await restart(false)
        return done
      }
    }
  }

  return async (choice) => {
    if (view() === null) throw new LoomError('INVALID_ARGUMENT', 'The database is open: there is nothing to recover.')
    if (choice.do === 'show_folder') return { done: await act(choice) }
    if (choice.do === 'survey') return { done: busy || counting ? null : await act(choice).catch(() => null) }
    if (busy) throw new LoomError('IN_PROGRESS', 'A recovery is running. Wait until it has ended.', { retry_after_s: 5 })
    busy = true
    try {
      await stopCounting()
      return { done: await act(choice) }
    } finally {
      busy = false
    }
  }
}

/** A failure as the page is told of it. */
export const failure = (error: unknown) => ({ ok: false as const, error: errorBody(error, '').detail })
