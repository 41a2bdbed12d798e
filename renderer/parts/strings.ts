import { locale } from '../state/locale.ts'
import { count } from '../text/when.ts'

const memories = (amount: number): string => `${count(amount, locale)} ${amount === 1 ? 'memory' : 'memories'}`

export const NAVIGATION = {
  write: 'Write',
  memories: 'Memories',
  agents: 'Agents',
  connected: (amount: number) => `${count(amount, locale)} connected`,
  knowledge: 'Knowledge',
  review: 'Review',
  records: 'Records',
  timeline: 'Timeline',
  graph: 'Graph',
  openIn: (amount: number, namespace: string, onSync: number) =>
    onSync === 0
      ? `${count(amount, locale)} to settle in ${namespace}`
      : `${count(amount, locale)} to settle: ${count(amount - onSync, locale)} in ${namespace}, ${count(onSync, locale)} changed on sync`,
  namespaces: 'Namespaces',
  keys: 'All keys',
  privacy: 'Privacy',
  settings: 'Settings',
  sync: 'Team',
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

export const SEARCH = { clear: 'Clear' }

export const NOTES = { tryAgain: 'Try again' }

/** Above the one pane of a narrow window. */
export const BARS = {
  menu: 'Menu',
  write: 'Write',
  place: (at: number, of: number) => `${count(at, locale)} of ${count(of, locale)}`,
  previous: 'Previous',
  next: 'Next',
}

export const KEYS = {
  title: 'All keys',
  settings: 'Appearance and keys',
  close: 'Close',
  system: 'Anywhere in the system',
  everywhere: 'Everywhere',
  list: 'List',
  memory: 'A memory',
  review: 'Review',
  timeline: 'Timeline',
  graph: 'Graph',
  writing: 'Writing',
}

export const LIST_STATES = { tryAgain: 'Try again', failed: 'The list cannot be read' }
