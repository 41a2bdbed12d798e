import { sentencesOf } from '../answer/sentences.ts'
import { quartersOf, tokenQuarters } from './tokens.ts'

/** One thing that a bundle may hold, as far as its size goes. */
export interface PackItem {
  readonly ref: string
  readonly title: string
  readonly text: string
}

/** Items that are in a bundle together or not at all. A single one may be cut at the end of a sentence. */
export type PackGroup<I extends PackItem> = readonly I[]

export interface PackSection<I extends PackItem> {
  readonly name: string
  readonly groups: readonly PackGroup<I>[]
}

export interface FilledSection<I extends PackItem> {
  readonly name: string
  readonly items: readonly I[]
  readonly elided: number
}

const heading = (name: string): string => `# ${name.charAt(0).toUpperCase()}${name.slice(1)}\n`

/** One item as it stands in the bundle's text. */
export function lineOf({ ref, title, text }: PackItem): string {
  const said = text.trim().replaceAll(/\s*\n\s*/g, '\n  ')
  const named = title === ref || title === '' ? said : `${title}: ${said}`
  return `- ${named} [${ref}]\n`
}

/** The bundle, ready to read. */
export function packText(sections: readonly FilledSection<PackItem>[]): string {
  return sections
    .filter(({ items }) => items.length > 0)
    .map(({ name, items }) => heading(name) + items.map(lineOf).join(''))
    .join('\n')
    .trimEnd()
}

/** The longest start of a text that ends with a sentence and fits; null where not even the first does. */
export function cutAtSentence(text: string, fits: (start: string) => boolean): string | null {
  let end = 0
  let best: string | null = null
  for (const sentence of sentencesOf(text)) {
    const at = text.indexOf(sentence, end)
    if (at < 0) break
    end = at + sentence.length
    const start = text.slice(0, end)
    if (!fits(start)) break
    best = start
  }
  return best
}

interface Filling<I extends PackItem> {
  readonly section: PackSection<I>
  /** By place of the group; undefined while it is not in. */
  readonly placed: (PackGroup<I> | undefined)[]
  used: number
}

/** Share of the budget that what is pinned may take; no other section takes over half while another still has items. */
const PINNED_SHARE = 1 / 4
const HALF = 1 / 2

/**
 * Fills sections in order within a budget of tokens. Pure: the same sections and budget give the same bundle.
 * @returns the sections that had items, with what is in and how many items are not
 */
export function fillPack<I extends PackItem>(sections: readonly PackSection<I>[], budgetTokens: number): FilledSection<I>[] {
  const budget = quartersOf(budgetTokens)
  const fillings = sections
    .filter(({ groups }) => groups.length > 0)
    .map((section): Filling<I> => ({ section, placed: section.groups.map(() => undefined), used: 0 }))
  let total = 0
  const hasMore = ({ placed }: Filling<I>): boolean => placed.includes(undefined)

  /** What a heading and the line before it cost, where the section is not begun. */
  const opening = ({ section, used }: Filling<I>): number => (used > 0 ? 0 : tokenQuarters(`\n${heading(section.name)}`))

  const place = (filling: Filling<I>, nth: number, cap: number, mayCut: boolean): void => {
    const group = filling.section.groups[nth] ?? []
    const room = Math.min(cap - filling.used, budget - total) - opening(filling)
    const cost = (items: PackGroup<I>): number => items.reduce((sum, item) => sum + tokenQuarters(lineOf(item)), 0)
    const [only] = group
    const cut = (): PackGroup<I> | undefined => {
      if (!mayCut || only === undefined || group.length > 1) return undefined
      const text = cutAtSentence(only.text, (start) => cost([{ ...only, text: start }]) <= room)
      return text === null ? undefined : [{ ...only, text }]
    }
    const fitting = cost(group) <= room ? group : cut()
    if (fitting === undefined) return
    const taken = cost(fitting) + opening(filling)
    filling.placed[nth] = fitting
    filling.used += taken
    total += taken
  }

  const run = (filling: Filling<I>, cap: number, mayCut: boolean): void => {
    for (const [nth, placed] of filling.placed.entries()) if (placed === undefined) place(filling, nth, cap, mayCut)
  }
  for (const filling of fillings) {
    const others = fillings.some((other) => other !== filling)
    run(filling, filling.section.name === 'pinned' ? budget * PINNED_SHARE : others ? budget * HALF : budget, true)
  }
  // What the others left is anybody's, once they have nothing more to put there.
  for (const filling of fillings) {
    const others = fillings.some((other) => other !== filling && other.section.name !== 'pinned' && hasMore(other))
    if (filling.section.name !== 'pinned') run(filling, others ? budget * HALF : budget, true)
  }
  return fillings.map(({ section, placed }) => ({
    name: section.name,
    items: placed.flatMap((group) => group ?? []),
    elided: placed.reduce((sum, group, nth) => sum + (group === undefined ? (section.groups[nth]?.length ?? 0) : 0), 0),
  }))
}
