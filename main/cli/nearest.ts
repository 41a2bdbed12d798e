import { distance } from 'fastest-levenshtein'

/** The choice that a mistyped word most likely means, or undefined: at most a third of its letters may be wrong. */
export function nearest(word: string, choices: readonly string[]): string | undefined {
  if (word.length > 64) return undefined
  let best: string | undefined
  let least = Infinity
  for (const choice of choices) {
    const apart = swapped(word, choice) ? 1 : distance(word, choice)
    if (apart < least) [best, least] = [choice, apart]
  }
  return best !== undefined && least <= Math.ceil(best.length / 3) ? best : undefined
}

/** The same letters in another order, as fast fingers leave them. */
function swapped(word: string, choice: string): boolean {
  const sorted = (text: string) => [...text].sort().join('')
  return word.length === choice.length && sorted(word) === sorted(choice)
}
