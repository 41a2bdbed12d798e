import type { RecoveryDone, RecoverySurvey, RecoveryView } from '../shared/contract/recovery.ts'
import { pad } from './cli/text-width.ts'

const number = (amount: number): string => amount.toLocaleString('en-US')
const memories = (amount: number): string => (amount === 1 ? '1 memory' : `${number(amount)} memories`)

/** What the newest backup has, and what it lacks, in one line. */
function lackLine({ rows, newer, on_server: onServer }: RecoverySurvey): string {
  const held = rows === null ? '' : `${memories(rows)}. `
  if (newer === null) return `${held}What was written since is not in it.`
  if (newer === 0) return `${held}Nothing is newer.`
  const there = onServer === null || onServer === 0 ? '' : `; ${number(onServer)} of them ${onServer === 1 ? 'is' : 'are'} on the server`
  return `${held}${number(newer)} ${newer === 1 ? 'is' : 'are'} newer${there}.`
}

/** The recovery in words, for a terminal. */
export function recoveryText({ fault, folder, written_at: written, backups }: RecoveryView, counted: RecoverySurvey | null): string {
  const whole = backups.filter((one) => !one.damaged)
  return [
    'Loom cannot open its database.',
    `${fault.sentence} Nothing of it has been deleted.`,
    `  Folder        ${folder}`,
    ...(written === null ? [] : [`  Last written  ${written}`]),
    '',
    ...(whole.length === 0 ? ['There is no backup that can be restored.'] : ['Backups, newest first']),
    ...whole.map((one) => `  ${pad(one.backup_id, 24)}${one.created_at}  ${one.label || one.kind}`),
    ...(counted === null || whole.length === 0 ? [] : [`  The newest has ${lackLine(counted)}`]),
    '',
    'What you can do',
    ...(whole.length === 0 ? [] : ['  loom recover restore [BACKUP_ID]   put a backup in its place, the newest one if you name none']),
    `  loom recover export FOLDER         write what can be read to a new folder${counted?.readable ? `, about ${memories(counted.readable)}` : ''}`,
    '  loom recover fresh                 a new, empty memory; the damaged one is kept',
    '  loom recover retry                 let the next start try again',
  ].join('\n')
}

/** What came of a choice, in words. */
export function doneText(done: RecoveryDone): string {
  switch (done.did) {
    case 'restore':
      return `Restored: ${memories(done.rows)}. The damaged database is kept in ${done.kept}`
    case 'fresh':
      return `A new, empty memory is in place. The damaged one is kept in ${done.kept}`
    case 'export':
      return [
        `Wrote ${memories(done.memories)} to ${done.folder}`,
        ...(done.unreadable > 0 ? [`${memories(done.unreadable)} could not be read.`] : []),
        ...(done.cut.length > 0 ? [`Not read to the end: ${done.cut.join(', ')}`] : []),
      ].join('\n')
    case 'survey':
      return lackLine(done.survey)
  }
}
