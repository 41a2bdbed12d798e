import { parseArgs } from 'node:util'
import { resolve } from 'node:path'
import { isLoomError } from '../../shared/contract/errors.ts'
import type { RecoveryChoice, RecoveryView } from '../../shared/contract/recovery.ts'
import { lockDataFolder } from '../../shared/engine/host/data-folder.ts'
import { forgetFault, knownFault } from '../../shared/engine/recovery/note.ts'
import { viewOf } from '../../shared/engine/recovery/survey.ts'
import { readEnv, toConfig } from '../config.ts'
import { doneText, recoveryText } from '../recovery-text.ts'
import { placesOf, recover } from '../recovery.ts'
import { UsageError } from './usage-error.ts'

export const RECOVER_HELP = [
  'loom recover [restore [BACKUP_ID] | export FOLDER | fresh | retry]',
  '',
  'For when the database cannot be opened. Without a word more it says what happened and what there is; nothing is changed.',
  '',
  '  restore [BACKUP_ID]  Put a backup in its place: the newest one, or the one that is named.',
  '  export FOLDER        Write what can be read of it to a new folder, as `loom export` does.',
  '  fresh                Put a new, empty memory in its place.',
  '  retry                Let the next start try to open it again.',
  '',
  'The damaged files are kept, byte for byte: restore and fresh give their folder another name, and say which.',
].join('\n')

/** @throws UsageError for what is no such command */
function choiceOf(words: readonly string[], newest: string | undefined): RecoveryChoice {
  const [what, name, ...more] = words
  if (more.length > 0 || (what === 'fresh' && name !== undefined)) throw new UsageError(RECOVER_HELP)
  if (what === 'fresh') return { do: 'fresh' }
  if (what === 'export') {
    if (name === undefined) throw new UsageError(`Name a new folder to write to.\n\n${RECOVER_HELP}`)
    return { do: 'export', folder: resolve(name) }
  }
  if (what !== 'restore') throw new UsageError(RECOVER_HELP)
  const backup = name ?? newest
  if (backup === undefined) throw new UsageError('There is no backup that can be restored. `loom recover` shows the other ways on.')
  return { do: 'restore', backup_id: backup }
}

/** `loom recover`. Answers the exit status. */
export async function runRecover(args: readonly string[]): Promise<number> {
  const { positionals, values } = parseWords(args)
  const say = (text: string): number => {
    process.stdout.write(`${text}\n`)
    return 0
  }
  if (values.help === true) return say(RECOVER_HELP)
  const { desktop } = toConfig(readEnv())
  const places = placesOf(desktop)
  if (positionals[0] === 'retry') {
    await using _lock = await lockDataFolder(desktop.home)
    await forgetFault(places.dataDir)
    return say('The next start tries to open the database again.')
  }
  const fault = await faultOf(desktop)
  if (fault === null) return say('Loom can open its database. There is nothing to recover; `loom backup.restore` goes back to a backup.')
  const view = await viewOf(places, fault)
  if (positionals.length > 0) {
    const newest = view.backups.find((one) => !one.damaged)?.backup_id
    return say(doneText(await recover(desktop, choiceOf(positionals, newest))))
  }
  const counted = await recover(desktop, { do: 'survey' })
  return say(recoveryText(view, counted.did === 'survey' ? counted.survey : null))
}

function parseWords(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: { help: { type: 'boolean', short: 'h' } } })
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n\n${RECOVER_HELP}`)
  }
}

/** What keeps the database from being opened: noted by an earlier start, else found by opening it now. Null: nothing does. */
async function faultOf(desktop: ReturnType<typeof toConfig>['desktop']) {
  const known = await knownFault(placesOf(desktop).dataDir)
  if (known !== null) return known
  try {
    const { openOwnEngine } = await import('./own-engine.ts')
    await (await openOwnEngine(desktop, null))[Symbol.asyncDispose]()
    return null
  } catch (error) {
    const fault = isLoomError(error) ? error.fields['recovery'] : undefined
    if (fault === undefined) throw error
    return fault as RecoveryView['fault']
  }
}
