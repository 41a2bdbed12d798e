import { tokenize, type Token } from './tokens.ts'

export interface Piece {
  readonly text: string
  readonly kind: 'same' | 'gone' | 'new'
}

type Step = { kind: 'gone' | 'new'; token: Token } | { kind: 'same'; token: Token; before: Token }

/** Above this many cells the table would cost more than a frame: the middle is then one change. */
const MOST_CELLS = 3_000_000

function commonLength(a: readonly Token[], b: readonly Token[], fromEnd: boolean, most: number): number {
  let length = 0
  while (length < most) {
    const left = a[fromEnd ? a.length - 1 - length : length]
    const right = b[fromEnd ? b.length - 1 - length : length]
    if (left?.word !== right?.word) break
    length++
  }
  return length
}

/** Words as numbers, equal words the same one: the table then compares integers, not strings. */
function numbered(tokens: readonly Token[], known: Map<string, number>): Uint32Array {
  return Uint32Array.from(tokens, ({ word }) => {
    const number = known.get(word) ?? known.size
    known.set(word, number)
    return number
  })
}

/** `table[i * width + j]` is the length of the longest common subsequence of `a` from `i` and `b` from `j`. */
function commonLengths(a: Uint32Array, b: Uint32Array): Uint16Array {
  const width = b.length + 1
  const table = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--) {
    const word = a[i]
    let right = 0
    let diagonal = 0
    for (let j = b.length - 1, here = i * width + j; j >= 0; j--, here--) {
      const below = table[here + width] as number
      right = word === b[j] ? diagonal + 1 : below > right ? below : right
      table[here] = right
      diagonal = below
    }
  }
  return table
}

function middleSteps(a: readonly Token[], b: readonly Token[]): Step[] {
  const gone = a.map((token): Step => ({ token, kind: 'gone' }))
  const added = b.map((token): Step => ({ token, kind: 'new' }))
  if (!a.length || !b.length || a.length * b.length > MOST_CELLS) return [...gone, ...added]

  const known = new Map<string, number>()
  const table = commonLengths(numbered(a, known), numbered(b, known))
  const width = b.length + 1
  const steps: Step[] = []
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const here = i * width + j
    if (a[i]?.word === b[j]?.word) steps.push({ kind: 'same', token: b[j++] as Token, before: a[i++] as Token })
    else if ((table[here + width] ?? 0) >= (table[here + 1] ?? 0)) steps.push(gone[i++] as Step)
    else steps.push(added[j++] as Step)
  }
  return [...steps, ...gone.slice(i), ...added.slice(j)]
}

/** A stretch that is the same on both sides, or a change. The words of `same` may differ in their spaces. */
interface Run {
  readonly kind: 'same' | 'change'
  readonly gone: Token[]
  readonly new: Token[]
}

function toRuns(steps: readonly Step[]): Run[] {
  const runs: Run[] = []
  for (const step of steps) {
    const kind = step.kind === 'same' ? 'same' : 'change'
    let run = runs.at(-1)
    if (run?.kind !== kind) {
      run = { kind, gone: [], new: [] }
      runs.push(run)
    }
    if (step.kind === 'same') run.gone.push(step.before)
    else if (step.kind === 'gone') run.gone.push(step.token)
    if (step.kind !== 'gone') run.new.push(step.token)
  }
  return runs
}

const wordCount = (tokens: readonly Token[]): number => tokens.filter((token) => /[\p{L}\p{N}]/u.test(token.word)).length

/**
 * Two changes with one shared word between them read as one change: "Tuesday and Thursday" against "Monday to
 * Thursday" is marked whole, not as three specks.
 */
function joinSpecks(runs: readonly Run[]): Run[] {
  const joined: Run[] = []
  for (const [at, run] of runs.entries()) {
    const last = joined.at(-1)
    const isSpeck = run.kind === 'same' && runs[at + 1]?.kind === 'change' && wordCount(run.new) <= 1
    if (last?.kind === 'change' && (isSpeck || run.kind === 'change')) {
      last.gone.push(...run.gone)
      last.new.push(...run.new)
    } else joined.push({ kind: run.kind, gone: [...run.gone], new: [...run.new] })
  }
  return joined
}

/** Text of some tokens; a closing space stays outside of a mark, and of what is gone it goes too. */
function toPieces(tokens: readonly Token[], kind: Piece['kind']): Piece[] {
  const text = tokens.map((token) => token.word + token.space).join('')
  if (!text) return []
  if (kind === 'same') return [{ text, kind }]
  const bare = text.trimEnd()
  const rest = text.slice(bare.length)
  return [...(bare ? [{ text: bare, kind }] : []), ...(rest && kind === 'new' ? [{ text: rest, kind: 'same' as const }] : [])]
}

/**
 * What changed from one text to the other, word by word. The pieces `same` and `new` joined are `after`; `same`
 * takes its white space from there.
 */
export function wordDiff(before: string, after: string): Piece[] {
  if (before === after) return before ? [{ text: before, kind: 'same' }] : []
  const a = tokenize(before)
  const b = tokenize(after)
  const head = commonLength(a, b, false, Math.min(a.length, b.length))
  const tail = commonLength(a, b, true, Math.min(a.length, b.length) - head)
  const same = (from: number, to: number, shift: number): Step[] =>
    b.slice(from, to).map((token, at) => ({ kind: 'same', token, before: a[from + at + shift] as Token }))
  const steps = [
    ...same(0, head, 0),
    ...middleSteps(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...same(b.length - tail, b.length, a.length - b.length),
  ]
  const pieces = joinSpecks(toRuns(steps)).flatMap((run) =>
    run.kind === 'same' ? toPieces(run.new, 'same') : [...toPieces(run.gone, 'gone'), ...toPieces(run.new, 'new')],
  )
  return mergeNeighbours(pieces)
}

function mergeNeighbours(pieces: readonly Piece[]): Piece[] {
  const merged: Piece[] = []
  for (const piece of pieces) {
    const last = merged.at(-1)
    if (last?.kind === piece.kind) merged[merged.length - 1] = { text: last.text + piece.text, kind: piece.kind }
    else merged.push(piece)
  }
  return merged
}

/** One side of a pair: its text, with the words that the other does not have as `new`. */
export function differingWords(text: string, other: string): Piece[] {
  return mergeNeighbours(wordDiff(other, text).filter((piece) => piece.kind !== 'gone'))
}
