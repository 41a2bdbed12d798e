const MOST_KEYS = 64

const NAMES = ['memory_key', 'to_key', 'record_key', 'key'] as const
const LISTS = ['memory_keys', 'keys', 'memories_used', 'recalled_keys'] as const
/** Lists of things that each name a key: of the call and of its answer. */
const ROWS = ['entries', 'rows', 'results', 'written', 'memories', 'citations'] as const

function* namedIn(fields: Readonly<Record<string, unknown>>): Generator {
  for (const name of NAMES) yield fields[name]
  for (const name of LISTS) {
    const list = fields[name]
    if (Array.isArray(list)) yield* list as unknown[]
  }
  for (const name of ROWS) {
    const rows = fields[name]
    if (!Array.isArray(rows)) continue
    for (const row of rows as unknown[]) if (typeof row === 'object' && row !== null) yield (row as Record<string, unknown>)['memory_key']
  }
}

/** Memory keys that a call named or was answered, the first 64: keys alone, never a value. */
export function keysIn(input: Readonly<Record<string, unknown>>, answer: Readonly<Record<string, unknown>>): string[] {
  const keys = new Set<string>()
  for (const fields of [input, answer]) {
    for (const key of namedIn(fields)) {
      if (typeof key === 'string' && key !== '' && key.length <= 512) keys.add(key)
      if (keys.size >= MOST_KEYS) return [...keys]
    }
  }
  return [...keys]
}
