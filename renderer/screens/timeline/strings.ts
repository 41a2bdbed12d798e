import { locale } from '../../state/locale.ts'
import { count, timeOfDay } from '../../text/when.ts'
import type { Range } from './days.ts'
import type { Tally } from './lanes.ts'

const amount = (number: number, one: string, many: string): string => (number === 1 ? `1 ${one}` : `${count(number, locale)} ${many}`)
const listed = (parts: readonly string[]): string =>
  parts.length < 3 ? parts.join(' and ') : `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1) ?? ''}`

type When = 'past' | 'today' | 'ahead'
const TRUTHS: Readonly<Record<When, readonly [one: string, many: string, none: string]>> = {
  past: ['was true that day', 'were true that day', 'None of these was true that day.'],
  today: ['is true today', 'are true today', 'None of these is true today.'],
  ahead: [
    'will be true that day, as far as Loom knows',
    'will be true that day, as far as Loom knows',
    'None of these will be true that day.',
  ],
}

function summary({ truths, known, unlearnt, dropped, outlived, early }: Tally, when: When): string {
  const [one, many, none] = TRUTHS[when]
  const past = when === 'past'
  const first = truths === 0 ? none : `${amount(truths, `claim ${one}`, `claims ${many}`)}.`
  const all = known === truths && outlived + early === 0
  if (all) return truths === 0 ? first : `${first} Loom ${past ? 'knew' : 'knows'} ${truths === 1 ? 'it' : 'all of them'}.`
  const parts = [
    truths > 0 ? `${past ? 'knew' : 'knows'} ${known === 0 ? 'none' : count(known, locale)}` : '',
    unlearnt > 0 ? `${past ? 'had' : 'has'} yet to learn ${count(unlearnt, locale)}` : '',
    dropped > 0 ? `${past ? 'held' : 'holds'} ${count(dropped, locale)} no more` : '',
    outlived > 0 ? `still ${past ? 'held' : 'holds'} ${count(outlived, locale)} that ${past ? 'had' : 'has'} ended` : '',
    early > 0 ? `${past ? 'held' : 'holds'} ${count(early, locale)} in advance` : '',
  ]
  return `${first} Loom ${listed(parts.filter(Boolean))}.`
}

export const TIMELINE = {
  title: 'Timeline',
  list: 'Keys over time',
  search: 'Entity',
  nearest: 'Entities',
  entity: (name: string) => `Entity: ${name}`,
  clearEntity: (name: string) => `Show every entity, not ${name} alone`,
  filters: 'Filters',
  range: 'Time shown',
  ranges: { all: 'All time', year: 'A year', quarter: 'Three months', month: 'A month' } satisfies Record<Range, string>,
  span: (from: string, until: string) => `${from} to ${until}`,
  meta: (keys: number, claims: number) => `${amount(keys, 'key', 'keys')}, ${amount(claims, 'claim', 'claims')}`,
  reading: (claims: number) => `${count(claims, locale)} claims read so far`,
  opening: 'Opening…',
  order: 'Latest first',
  changed: 'Changed. Read again',
  asOf: (day: string) => `As of ${day}`,
  slider: 'As of',
  before: 'Day before',
  after: 'Day after',
  today: 'Today',
  todayMark: 'today',
  summary,
  stopped: (at: number) =>
    `The timeline could not be read again. What is shown was read at ${timeOfDay(new Date(at).toISOString(), locale)}.`,
  tryAgain: 'Try again',
  failed: 'The timeline could not be read',
  cut: (claims: number) => `The latest ${count(claims, locale)} claims are shown. An entity or a tag leads to older ones.`,
  empty: 'Nothing has happened yet',
  emptyNext: 'What is written down stands here with the time in which it was true, and the time in which Loom held it.',
  write: 'Write the first one',
  nothing: (entity: string, tag: string) =>
    entity && tag ? `Nothing about ${entity} is tagged ${tag}` : entity ? `Nothing about ${entity}` : `Nothing is tagged ${tag}`,
  nothingNext: 'No key of this namespace names it.',
  near: 'Names near it:',
  everything: 'Show everything',
  menu: 'Menu',
}

export const LANE = {
  since: (day: string) => `true since ${day}`,
  until: (day: string) => `true until ${day}`,
  ahead: (day: string) => `true from ${day}`,
  over: (from: string, until: string) => `true ${from} to ${until}`,
  never: 'true at no time',
  sameDay: 'learnt the same day',
  dayLate: 'learnt a day later',
  late: (day: string, days: number) => `learnt ${day}, ${count(days, locale)} days late`,
  inAdvance: (day: string) => `learnt ${day}, in advance`,
  ended: 'ended, nothing after it',
  replaced: 'replaced since',
  versions: (number: number) => `${count(number, locale)}×`,
  name: (key: string, truth: string, held: string) => `${key}. True that day: ${truth}. Held that day: ${held}.`,
  nothing: 'nothing',
}

export const ANSWERS = {
  label: (key: string, day: string) => `${key} on ${day}`,
  legend: 'How to read the bars',
  upper: 'Upper bar: what was true in the world',
  lower: 'Lower bar: what Loom held at the time',
  outlived: 'Held that day, and no longer true',
  drag: 'Drag the date, or use',
  days: 'for days and',
  months: 'for months.',
  truth: 'True that day',
  held: 'What Loom held that day',
  true: 'True',
  learnt: 'Learnt',
  heldUntil: 'Held until',
  status: 'Since then',
  still: (day: string) => `since ${day}, still true`,
  until: (from: string, until: string) => `${from} to ${until}`,
  by: (day: string, who: string, source: string) => `${day}, by ${who}${source && ` from ${source}`}`,
  stillHeld: 'still held',
  tooLong: (day: string, days: number) => `${day}, ${days === 1 ? 'a day' : `${count(days, locale)} days`} too long`,
  noTruth: 'Nothing was true that day.',
  noTruthYet: (day: string) => `It is true from ${day}.`,
  noTruthMore: (day: string) => `It was true until ${day}. Nothing has replaced it.`,
  noHeld: 'Loom held nothing that day.',
  noHeldYet: (day: string) => `It was learnt on ${day}.`,
  noHeldMore: (day: string) => `It was held until ${day}.`,
  retired: 'The key is retired: what was true of it is not asked any more.',
  choose: 'Choose a key to see both answers.',
  open: 'Open in Memories',
  failed: (why: string) => `This could not be read: ${why}`,
}
