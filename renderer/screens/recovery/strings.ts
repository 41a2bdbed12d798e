import { locale } from '../../state/locale.ts'
import { count } from '../../text/when.ts'

const memories = (amount: number): string => (amount === 1 ? '1 memory' : `${count(amount, locale)} memories`)

export const RECOVERY = {
  document: 'Recovery · Loom',
  title: 'Loom cannot open its database',
  kept: 'Nothing of it has been deleted.',
  written: (when: string) => `It was last written on ${when}.`,
  ways: 'Ways on',
  newest: 'Restore the newest backup',
  noBackup: 'There is no backup that can be restored.',
  counting: 'Counting what it holds…',
  holds: (when: string, rows: number | null) => (rows === null ? `${when}.` : `${when}, ${memories(rows)}.`),
  lacks: (newer: number | null, onServer: number | null) => {
    if (newer === null) return 'What was written since is not in it.'
    if (newer === 0) return 'Nothing is newer.'
    const there = onServer ? `; ${count(onServer, locale)} of them ${onServer === 1 ? 'is' : 'are'} on the server` : ''
    return `${count(newer, locale)} ${newer === 1 ? 'is' : 'are'} newer${there}.`
  },
  restore: 'Restore',
  another: 'Choose another backup',
  others: (amount: number, back: string) => `${amount === 1 ? 'One more' : `${count(amount, locale)} more`}, back to ${back}.`,
  noOther: 'There is no other.',
  choose: 'Choose…',
  list: 'Other backups',
  damaged: 'damaged',
  restoreOf: (when: string) => `Restore the backup of ${when}`,
  exportIt: 'Export what can be read',
  about: (amount: number) => `About ${memories(amount)}, to a folder you choose.`,
  unread: 'To a folder you choose. Settings imports it again.',
  none: 'Nothing of it could be read when it was tried just now.',
  exportGo: 'Export…',
  fresh: 'Start fresh beside it',
  freshWhat: 'A new, empty memory. The damaged one is kept.',
  freshGo: 'Start fresh',
  stay: 'The damaged files are kept, byte for byte: when another database takes their place, only the name of their folder changes.',
  retry: 'Try to open it again',
  folder: 'Show the folder',
  detail: 'What the database said',
  working: {
    restore: 'Restoring the backup: it is unpacked and read through before anything is moved…',
    fresh: 'Making a new, empty memory…',
    export: 'Reading a copy of the damaged files…',
    retry: 'Trying to open it…',
  },
  exported: (amount: number, folder: string) => `${memories(amount)} written to ${folder}.`,
  unreadable: (amount: number) => ` ${memories(amount)} could not be read.`,
  still: 'It still cannot be opened.',
  failed: (why: string) => `Nothing was changed. ${why}`,
  done: (folder: string) => `The damaged database is kept in ${folder}.`,
}
