import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database } from './db/database.ts'
import { summedCounts } from './store/usage.ts'

interface Uses {
  /** By operation. */
  served: Map<string, number>
  recalled: number
  recalledAt: Date | null
  cited: number
  reinforced: number
}

/** Counters of reads, gathered in memory and written together: an answer never waits for them. */
export interface UsageBuffer {
  /** An answer of the operation has the row. */
  served(org: string, memoryId: string, by: string): void
  /** As served, of an operation that recalls. */
  recalled(org: string, memoryId: string, by: string, at: Date): void
  /** An answer of memory.ask cites the row. */
  cited(org: string, memoryId: string): void
  reinforced(org: string, memoryId: string): void
  flush(): Promise<void>
  close(): Promise<void>
}

const FLUSH_AFTER_MS = 1000

function serve(uses: Uses, by: string): void {
  uses.served.set(by, (uses.served.get(by) ?? 0) + 1)
}

export function createUsageBuffer(database: Database, log: Logger): UsageBuffer {
  let waiting = new Map<string, Uses>()
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> = Promise.resolve()

  const note = (org: string, memoryId: string): Uses => {
    const id = `${org}\n${memoryId}`
    const uses = waiting.get(id) ?? { served: new Map<string, number>(), recalled: 0, recalledAt: null, cited: 0, reinforced: 0 }
    waiting.set(id, uses)
    timer ??= setTimeout(() => void flush(), FLUSH_AFTER_MS).unref()
    return uses
  }

  async function write(batch: Map<string, Uses>): Promise<void> {
    const rows = [...batch].map(([id, uses]) => ({
      org: id.split('\n')[0] ?? '',
      memory_id: id.split('\n')[1] ?? '',
      served_count: [...uses.served.values()].reduce((sum, times) => sum + times, 0),
      served_by: JSON.stringify(Object.fromEntries(uses.served)),
      ...uses,
    }))
    await database.transaction((tx) =>
      sql`INSERT INTO loom.memory_usage (org, memory_id, served_count, served_by, recall_count, last_recalled_at, used_cited_count, reinforcement_count)
          SELECT u.org, u.memory_id, u.served, u.served_by::jsonb, u.recalled, u.at, u.cited, u.reinforced
          FROM unnest(${rows.map((row) => row.org)}::text[], ${rows.map((row) => row.memory_id)}::text[],
                      ${rows.map((row) => row.served_count)}::int8[], ${rows.map((row) => row.served_by)}::text[],
                      ${rows.map((row) => row.recalled)}::int8[],
                      ${rows.map((row) => row.recalledAt?.toISOString() ?? null)}::timestamptz[],
                      ${rows.map((row) => row.cited)}::int8[], ${rows.map((row) => row.reinforced)}::int8[])
                 AS u(org, memory_id, served, served_by, recalled, at, cited, reinforced)
          WHERE EXISTS (SELECT 1 FROM loom.memory m WHERE m.org = u.org AND m.memory_id = u.memory_id AND m.erased_by = '')
          ON CONFLICT (org, memory_id) DO UPDATE SET
            served_count = memory_usage.served_count + EXCLUDED.served_count,
            served_by = ${summedCounts(sql`memory_usage.served_by`, sql`EXCLUDED.served_by`)},
            recall_count = memory_usage.recall_count + EXCLUDED.recall_count,
            used_cited_count = memory_usage.used_cited_count + EXCLUDED.used_cited_count,
            reinforcement_count = memory_usage.reinforcement_count + EXCLUDED.reinforcement_count,
            last_recalled_at = coalesce(EXCLUDED.last_recalled_at, memory_usage.last_recalled_at)`.execute(tx),
    )
  }

  function flush(): Promise<void> {
    if (timer) clearTimeout(timer)
    timer = null
    const batch = waiting
    waiting = new Map()
    if (batch.size > 0) {
      running = running.then(() => write(batch)).catch((error: unknown) => log.warn({ err: error }, 'counters of use were not written'))
    }
    return running
  }

  return {
    served: (org, memoryId, by) => serve(note(org, memoryId), by),
    recalled(org, memoryId, by, at) {
      const uses = note(org, memoryId)
      serve(uses, by)
      uses.recalled++
      uses.recalledAt = at
    },
    cited: (org, memoryId) => void note(org, memoryId).cited++,
    reinforced: (org, memoryId) => void note(org, memoryId).reinforced++,
    flush,
    close: flush,
  }
}
