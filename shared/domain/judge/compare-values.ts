import type { Analysis, PlacedValue } from './analyse.ts'
import { familyOf, sameValue } from './values/value.ts'

export type ValuePair = readonly [a: PlacedValue, b: PlacedValue]

/** How the values of two claims stand to each other. */
export interface ValueComparison {
  readonly equal: readonly ValuePair[]
  /** Of one kind and not equal. */
  readonly differing: readonly ValuePair[]
  /** Of one family but another kind or unit: they measure different things. */
  readonly otherKind: readonly ValuePair[]
  readonly onlyA: readonly PlacedValue[]
  readonly onlyB: readonly PlacedValue[]
}

/** Digits inside a Latin word belong to the word. */
function ownValues(analysis: Analysis): PlacedValue[] {
  return analysis.values.filter((value) => !(value.kind === 'number' && value.glued && analysis.script === 'latin'))
}

function remove<T>(list: T[], item: T): void {
  list.splice(list.indexOf(item), 1)
}

/** "two meetings a week" is "a meeting twice a week": a count times a frequency equals a frequency. */
function matchCountedFrequencies(from: PlacedValue[], to: PlacedValue[]): ValuePair | null {
  const single = from.find((value) => value.kind === 'frequency')
  const perPeriod = to.find((value) => value.kind === 'frequency')
  const count = to.find((value) => value.kind === 'number')
  if (single?.kind !== 'frequency' || perPeriod?.kind !== 'frequency' || count?.kind !== 'number') return null
  if (Math.abs(single.seconds * count.amount - perPeriod.seconds) >= 0.02 * perPeriod.seconds) return null
  remove(from, single)
  remove(to, perPeriod)
  remove(to, count)
  return [single, perPeriod]
}

const PLAIN_NUMBERS = new Set(['number', 'version'])

/** The value of the other claim that this one would replace, and whether they measure the same thing. */
function rivalOf(value: PlacedValue, others: readonly PlacedValue[]): { rival: PlacedValue; sameKind: boolean } | null {
  const alike = others.find((other) => other.kind === value.kind)
  if (alike) {
    const sameKind = !(value.kind === 'quantity' && alike.kind === 'quantity' && value.unit !== alike.unit)
    return { rival: alike, sameKind }
  }
  if (value.kind === 'ordinal') return null
  const kin = others.find((other) => other.kind !== 'ordinal' && familyOf(other.kind) === familyOf(value.kind))
  if (!kin) return null
  const sameKind = familyOf(value.kind) === 'span' || (PLAIN_NUMBERS.has(value.kind) && PLAIN_NUMBERS.has(kin.kind))
  return { rival: kin, sameKind }
}

export function compareValues(a: Analysis, b: Analysis): ValueComparison {
  const restB = ownValues(b)
  const equal: ValuePair[] = []
  const restA = ownValues(a).filter((value) => {
    const match = restB.find((other) => sameValue(value, other))
    if (!match) return true
    equal.push([value, match])
    remove(restB, match)
    return false
  })
  const forward = matchCountedFrequencies(restA, restB)
  if (forward) equal.push(forward)
  const backward = matchCountedFrequencies(restB, restA)
  if (backward) equal.push([backward[1], backward[0]])
  const differing: ValuePair[] = []
  const otherKind: ValuePair[] = []
  const onlyA = restA.filter((value) => {
    const found = rivalOf(value, restB)
    if (!found) return true
    const pairs = found.sameKind ? differing : otherKind
    pairs.push([value, found.rival])
    remove(restB, found.rival)
    return false
  })
  return { equal, differing, otherKind, onlyA, onlyB: restB }
}
