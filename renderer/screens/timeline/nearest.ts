import { distance } from 'fastest-levenshtein'

/** Names that begin with or hold what is typed, the ones that begin with it first; the order of `names` otherwise. */
export function suggested(names: readonly string[], typed: string, most: number): string[] {
  const part = typed.trim().toLowerCase()
  if (part === '') return []
  const found = names.filter((name) => name.toLowerCase().includes(part))
  return [
    ...found.filter((name) => name.toLowerCase().startsWith(part)),
    ...found.filter((name) => !name.toLowerCase().startsWith(part)),
  ].slice(0, most)
}

/** Names that somebody may have meant, the nearest first. */
export function nearest(names: readonly string[], typed: string, most: number): string[] {
  const wanted = typed.trim().toLowerCase()
  const farthest = Math.max(3, Math.ceil(wanted.length / 2))
  return names
    .map((name) => ({ name, far: distance(wanted, name.toLowerCase()) }))
    .filter(({ far }) => far <= farthest)
    .toSorted((a, b) => a.far - b.far)
    .slice(0, most)
    .map(({ name }) => name)
}
