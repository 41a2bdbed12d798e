import type { AppCard, AppTest } from '../../data/apps.ts'
import { locale } from '../../state/locale.ts'
import { count, listDate } from '../../text/when.ts'

const seconds = (ms: number): string =>
  `${new Intl.NumberFormat(locale, { maximumFractionDigits: 1, minimumFractionDigits: 1 }).format(ms / 1000)} s`

const STATES: Readonly<Record<AppCard['state'], string>> = {
  absent: 'Not on this computer',
  ready: 'Ready to write',
  connected: 'Connected',
  differs: 'Another entry',
  unreadable: 'Cannot be changed',
}

function inList({ state, testing, test }: AppCard, now: Date): string {
  if (testing !== null) return `testing, step ${testing} of 3`
  if (state === 'connected' && test) return test.cause === '' ? `connected, tested ${listDate(test.at, now, locale)}` : 'the test failed'
  const words: Readonly<Record<AppCard['state'], string>> = {
    absent: 'not on this computer',
    ready: 'found on this computer',
    connected: 'connected, not tested',
    differs: 'has another entry',
    unreadable: 'its file cannot be changed',
  }
  return words[state]
}

function inFile({ state, exists, others }: AppCard): string {
  if (state === 'unreadable' || state === 'absent') return ''
  if (!exists) return 'a new file'
  if (state === 'differs') return 'in place of the entry that is there'
  if (state === 'connected') return others.length === 0 ? '' : `beside ${count(others.length, locale)} more`
  return others.length === 0 ? 'a new entry' : `a new entry in a file with ${count(others.length, locale)}`
}

export const CARDS = {
  title: 'Connect an app',
  why: 'Loom shows the change, keeps a copy of the file, writes it, and tests it with one search. Nothing is written before you say so.',
  others: 'Others can connect at',
  othersHow: 'from this computer only. An app that starts programs takes the command of a card.',
  opening: 'Looking for your apps…',
  failed: 'Your apps cannot be looked for now.',
  states: STATES,
  writing: 'Writing',
  testing: 'Testing',
  failedTest: 'Test failed',
  inList,
  inFile,
  buttons: { test: 'Test', stop: 'Stop', connect: 'Connect…', look: 'Look…', how: 'How to…' },
  write: 'Write and test',
  again: 'Test again',
  testNow: 'Test it',
  stop: 'Stop',
  undo: 'Undo',
  takeOut: 'Take out…',
  takeOutNow: 'Take out',
  keep: 'Keep it',
  copy: 'Copy',
  copied: 'Copied',
  lookAgain: 'Look again',
  copyWillBe: (name: string) => `Copy kept as ${name}`,
  newFile: 'Undo removes the file again',
  copyKept: 'The old file is kept',
  tested: (test: AppTest, now: Date) => `Tested ${listDate(test.at, now, locale)}`,
  notTested: 'Not tested yet',
  step: (at: number) => `Step ${at} of 3`,
  written: 'The file was written',
  writtenCopy: 'The file was written; a copy is kept',
  steps: {
    started: (ms: number) => `Started and answered in ${seconds(ms)}`,
    tools: (_: number, tools: number) => `${count(tools, locale)} tools offered`,
    search: () => 'A search came back',
  } as Readonly<Record<AppTest['passed'][number]['step'], (ms: number, tools: number) => string>>,
  next: ['Waiting for it to start', 'Waiting for its tools', 'Waiting for a search'] as readonly string[],
  passed: 'passed',
  wrong: 'failed',
  waits: 'not yet',
  restart: (name: string) => `${name} reads it when it starts next.`,
  absent: (name: string) => `Install ${name} and this entry can be written for you. Or copy it to another computer.`,
  unreadable: 'Loom leaves the file as it is. Put it right, or copy the entry into it by hand.',
  change: (name: string) => `Change of the file of ${name}`,
  takingOut: 'This entry goes; everything else stays as it is.',
  kinds: { new: 'added', gone: 'taken out', same: '' },
}
