import { locale } from '../state/locale.ts'
import { count } from '../text/when.ts'

const memories = (amount: number): string => `${count(amount, locale)} ${amount === 1 ? 'memory' : 'memories'}`

export const NAVIGATION = {
  write: 'Write',
  memories: 'Memories',
  review: 'Review',
  openIn: (amount: number, namespace: string) => `${count(amount, locale)} to settle in ${namespace}`,
  namespaces: 'Namespaces',
  keys: 'Keys and appearance',
  memoriesIn: memories,
  conflictsIn: (amount: number) => (amount === 1 ? '1 open conflict' : `${count(amount, locale)} open conflicts`),
  held: (amount: number) => `${memories(amount)} held`,
  opening: 'Opening…',
  ready: 'Meaning and words ready',
  queued: (amount: number) => `${count(amount, locale)} being read for meaning`,
  loadingModel: 'Words only, model loading',
  reindexing: 'Reading all for meaning again',
  wordsOnly: 'Words only, no model',
  noAnswer: 'Loom does not answer',
  noAnswerNext: 'Trying again',
}

export const KEYS_DIALOG = {
  title: 'Keys and appearance',
  close: 'Close',
  everywhere: 'Everywhere',
  list: 'List',
  memory: 'A memory',
  review: 'Review',
  writing: 'Writing',
  theme: 'Theme',
  themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
  direction: 'Direction of the window',
  directions: { ltr: 'Left to right', rtl: 'Right to left' },
  letters: 'Single letters as commands',
  lettersOn: 'On',
  lettersOff: 'Off',
}
