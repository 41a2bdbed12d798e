import type { EngineParts } from './parts.ts'

/** A clock this far behind the last version is told to everybody who asks. */
const CLOCK_AHEAD_MS = 60_000

/** What a host has fallen back on, in the words that answers use. */
export function degradedOf(parts: EngineParts): string[] {
  return [
    ...(parts.models.embedder === null ? ['embedder'] : []),
    ...(parts.models.relation === null ? ['judge_model'] : []),
    ...(parts.fill.isCold ? ['index_cold'] : []),
    ...(parts.reindexing() ? ['reindexing'] : []),
    ...(parts.versions.ahead() > CLOCK_AHEAD_MS ? ['clock'] : []),
  ]
}
