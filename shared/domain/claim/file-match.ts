/** How a stored path stands to one that is asked for. */
export type FileMatch = 'exact' | 'suffix' | 'directory'

/** `\` as `/`, without `./` at the start; case is kept. */
export function levelPath(path: string): string {
  return path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '')
}

/** The stored path that fits best, or null: the same, one ending in the other at a `/`, or a folder that holds it. */
export function matchFile(path: string, stored: readonly string[]): FileMatch | null {
  const wanted = levelPath(path)
  const levelled = stored.map(levelPath)
  if (levelled.includes(wanted)) return 'exact'
  if (levelled.some((file) => file !== '' && (wanted.endsWith(`/${file}`) || file.endsWith(`/${wanted}`)))) return 'suffix'
  return levelled.some((file) => file.endsWith('/') && wanted.startsWith(file)) ? 'directory' : null
}
