import { describe, expect, it } from 'vitest'
import type { TimelineRow } from '../../../../renderer/data/timeline.ts'
import { barsOf } from '../../../../renderer/screens/timeline/bars.ts'
import { dayOf } from '../../../../renderer/screens/timeline/days.ts'
import { laneWords, shownOf } from '../../../../renderer/screens/timeline/lane-words.ts'
import { lanesAbout, lanesOf, namesIn, standingAt, tallyOf, type Lane } from '../../../../renderer/screens/timeline/lanes.ts'
import { TIMELINE } from '../../../../renderer/screens/timeline/strings.ts'

const NOW = new Date('2026-12-01T12:00:00Z')
const at = (date: string): number => Date.parse(`${date}T12:00:00Z`)

/** A version: its key and text, when it was true, and when it was held. */
function version(
  key: string,
  text: string,
  truth: [string, string?],
  held: [string, string?],
  more: Partial<TimelineRow> = {},
): TimelineRow {
  const iso = (date: string | undefined): string | null => (date === undefined ? null : `${date}T00:00:00.000Z`)
  const [true_from, known_from] = [iso(truth[0]) ?? '', iso(held[0]) ?? '']
  return {
    at: true_from,
    at_source: 'valid_at',
    memory_key: key,
    memory_id: key,
    excerpt: text,
    memory_type: 'semantic',
    status: 'active',
    valid_at: true_from,
    valid_to: null,
    created_at: known_from,
    superseded_by: '',
    agent: '-',
    user_id: '-',
    tags: [],
    entities: [],
    actor: 'human:alice',
    version: BigInt(Date.parse(known_from)),
    version_text: `${key} ${known_from}`,
    known_from,
    known_until: iso(held[1]),
    true_from,
    true_until: iso(truth[1]),
    held_until: iso(held[1]),
    ...more,
  }
}

const OWNER = [
  version('payments/owner', 'Lena Fischer owns payments.', ['2026-08-03'], ['2026-08-24'], {
    entities: ['Payments', 'lena'],
    tags: ['team'],
  }),
  version('payments/owner', 'Priya Nair owns payments.', ['2026-03-11', '2026-08-03'], ['2026-03-11', '2026-08-24'], {
    entities: ['payments'],
  }),
]
const RETRY = version('payments/retry', 'Retry three times.', ['2026-08-01'], ['2026-09-02'], { entities: ['payments'] })
const DUTY = version('ops/duty', 'Tomas covers the weekdays.', ['2026-06-10', '2026-08-31'], ['2026-06-12', '2026-08-31'])
const FREEZE = version('freeze', 'No changes.', ['2026-12-18', '2027-01-04'], ['2026-11-21', '2027-01-04'])
const only = (...rows: TimelineRow[]): Lane => lanesOf(rows)[0] as Lane

describe('the lanes of the timeline', () => {
  it('gather the versions of a key, and keep the order in which the keys came', () => {
    const lanes = lanesOf([RETRY, ...OWNER, DUTY])
    expect(lanes.map(({ key, claims }) => [key, claims.map(({ text }) => text)])).toEqual([
      ['payments/retry', ['Retry three times.']],
      ['payments/owner', ['Priya Nair owns payments.', 'Lena Fischer owns payments.']],
      ['ops/duty', ['Tomas covers the weekdays.']],
    ])
  })

  it('tell what was true and what was held on a day: the beginning is in it, the end is not', () => {
    const lane = only(...OWNER)
    const texts = (date: string) => {
      const { truth, held } = standingAt(lane, Date.parse(`${date}T00:00:00Z`))
      return [truth?.text.split(' ')[0], held?.text.split(' ')[0]]
    }
    expect(texts('2026-03-10')).toEqual([undefined, undefined])
    expect(texts('2026-03-11')).toEqual(['Priya', 'Priya'])
    expect(texts('2026-08-03')).toEqual(['Lena', 'Priya'])
    expect(texts('2026-08-24')).toEqual(['Lena', 'Lena'])
  })

  it('are chosen by an entity and a tag, whatever the case, whole: no version of a key is missing', () => {
    const lanes = lanesOf([...OWNER, RETRY, DUTY])
    expect(lanesAbout(lanes, 'PAYMENTS', '').map(({ key }) => key)).toEqual(['payments/owner', 'payments/retry'])
    expect(lanesAbout(lanes, 'payments', 'Team').map(({ key, claims }) => [key, claims.length])).toEqual([['payments/owner', 2]])
    expect(lanesAbout(lanes, 'nobody', '')).toEqual([])
    expect(namesIn(lanes, 'entities')).toEqual(['payments', 'lena', 'Payments'])
  })

  it('are summed up in a sentence', () => {
    const lanes = lanesOf([...OWNER, RETRY, DUTY, FREEZE])
    expect(TIMELINE.summary(tallyOf(lanes, at('2026-08-20')), 'past')).toBe(
      '3 claims were true that day. Loom knew 1, had yet to learn 2, and still held 1 that had ended.',
    )
    expect(TIMELINE.summary(tallyOf(lanes, at('2026-12-01')), 'today')).toBe(
      '2 claims are true today. Loom knows 2 and holds 1 in advance.',
    )
    expect(TIMELINE.summary(tallyOf(lanes, at('2026-07-01')), 'past')).toBe('2 claims were true that day. Loom knew all of them.')
    expect(TIMELINE.summary(tallyOf(lanes, at('2020-07-01')), 'past')).toBe('None of these was true that day.')
  })
})

describe('the words of a lane', () => {
  const words = (lane: Lane, date: string): string => {
    const claim = shownOf(lane, standingAt(lane, at(date)))
    return claim ? laneWords(lane, claim, at(date), NOW) : ''
  }

  it('say since when it was true, and how late it was learnt', () => {
    expect(words(only(...OWNER), '2026-08-20')).toBe('true since 3 Aug · learnt 24 Aug, 21 days late')
    expect(words(only(...OWNER), '2026-07-20')).toBe('true until 3 Aug · learnt the same day')
    expect(words(only(DUTY), '2026-10-01')).toBe('true 10 Jun to 31 Aug · learnt 12 Jun, 2 days late · ended, nothing after it')
    expect(words(only(FREEZE), '2026-12-01')).toBe('true from 18 Dec · learnt 21 Nov, in advance')
    expect(words(only({ ...RETRY, status: 'superseded' }), '2026-10-01')).toBe(
      'true since 1 Aug · learnt 2 Sep, 32 days late · replaced since',
    )
  })
})

describe('the bars of a lane', () => {
  const axis = { first: dayOf(at('2026-06-01')), last: dayOf(at('2027-01-10')) }
  const bars = (lane: Lane, row: 'truth' | 'held', date: string, width = 680) =>
    barsOf(lane.claims, row, axis, width, at(date), standingAt(lane, at(date)))

  it('stand one after the other, those of the day marked, a held claim that had ended apart', () => {
    const lane = only(...OWNER)
    expect(bars(lane, 'truth', '2026-08-20')).toMatchObject([
      { text: 'Priya Nair owns payments.', from: 0, hit: false, cut: true, open: false },
      { text: 'Lena Fischer owns payments.', until: 1, hit: true, cut: false, open: true },
    ])
    expect(bars(lane, 'held', '2026-08-20')).toMatchObject([
      { hit: true, outlived: true },
      { hit: false, outlived: false },
    ])
  })

  it('that are outside the axis are none', () => {
    const early = only(version('old', 'Long over.', ['2020-01-01', '2020-02-01'], ['2020-01-01', '2020-02-01']))
    expect(bars(early, 'truth', '2026-08-20')).toEqual([])
    expect(bars(only(version('void', 'At no time.', ['2026-08-01', '2026-08-01'], ['2026-08-01'])), 'truth', '2026-08-20')).toEqual([])
  })

  it('closer than four pixels are one, with a count', () => {
    const days = Array.from({ length: 6 }, (_, at) => 10 + at)
    const lane = only(
      ...days.map((date) =>
        version('busy', `On the ${date}th.`, [`2026-08-${date}`, date < 15 ? `2026-08-${date + 1}` : undefined], [`2026-08-${date}`]),
      ),
    )
    expect(bars(lane, 'truth', '2026-08-12').map(({ count }) => count)).toEqual([2, 2, 2])
    expect(bars(lane, 'truth', '2026-08-12', 200).map(({ count, hit }) => [count, hit])).toEqual([
      [5, true],
      [1, false],
    ])
    expect(bars(lane, 'truth', '2026-08-12', 3000)).toHaveLength(6)
  })
})
