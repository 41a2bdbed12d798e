import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database } from './db/database.ts'

interface Uses {
  served: number
  recalled: number
  recalledAt: Date | null
}

/** Counters of reads, gathered in memory and written together: an answer never waits for them. */
export interface UsageBuffer {
  served(org: string, memoryId: string): void
  recalled(org: string, memoryId: string, at: Date): void
  flush(): Promise<void>
  close(): Promise<void>
}

const FLUSH_AFTER_MS = 1000

export function createUsageBuffer(database: Database, log: Logger): UsageBuffer {
  let waiting = new Map<string, Uses>()
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> = Promise.resolve()

  const note = (org: string, memoryId: string): Uses => {
    const id = `${org}\n${memoryId}`
    const uses = waiting.get(id) ?? { served: 0, recalled: 0, recalledAt: null }
    waiting.set(id, uses)
    timer ??= setTimeout(() => void flush(), FLUSH_AFTER_MS).unref()
    return uses
  }

  async function write(batch: Map<string, Uses>): Promise<void> {
    const rows = [...batch].map(([id, uses]) => ({ org: id.split('\n')[0] ?? '', memory_id: id.split('\n')[1] ?? '', ...uses }))
    await database.transaction((tx) =>
      sql`INSERT INTO loom.memory_usage (org, memory_id, served_count, recall_count, last_recalled_at)
          SELECT u.org, u.memory_id, u.served, u.recalled, u.at
          FROM unnest(${rows.map((row) => row.org)}::text[], ${rows.map((row) => row.memory_id)}::text[],
                      ${rows.map((row) => row.served)}::int8[], ${rows.map((row) => row.recalled)}::int8[],
                      ${rows.map((row) => row.recalledAt?.toISOString() ?? null)}::timestamptz[]) AS u(org, memory_id, served, recalled, at)
          WHERE EXISTS (SELECT 1 FROM loom.memory m WHERE m.org = u.org AND m.memory_id = u.memory_id)
          ON CONFLICT (org, memory_id) DO UPDATE SET
            served_count = memory_usage.served_count + EXCLUDED.served_count,
            recall_count = memory_usage.recall_count + EXCLUDED.recall_count,
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
    served: (org, memoryId) => void note(org, memoryId).served++,
    recalled(org, memoryId, at) {
      const uses = note(org, memoryId)
      uses.served++
      uses.recalled++
      uses.recalledAt = at
    },
    flush,
    close: flush,
  }
}
