import { sql } from 'kysely'
import type { Database } from './db/database.ts'
import type { HotIndex } from './index/types.ts'
import { indexRows } from './store/index-rows.ts'

export interface IndexFollower {
  /** Resolves when the index holds everything of an org that was committed before the call, by whatever process. */
  catchUp(org: string): Promise<void>
}

interface Noted {
  /** No transaction before this one still runs. */
  readonly horizon: string
  /** Entries that this look would have needed are dropped already. */
  readonly too_late: boolean
  /** `xid/seq` of each change and the row it is of. */
  readonly changes: readonly [at: string, memoryId: string][]
}

async function horizonOf(database: Database): Promise<string> {
  const { rows } = await sql<{ horizon: string }>`SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon`.execute(database.reader)
  return rows[0]?.horizon ?? '0'
}

export interface FollowerOptions {
  readonly database: Database
  readonly index: () => HotIndex
  /** Id of the model whose vectors the index holds. */
  readonly model: () => string | null
  /** Fills an index anew and puts it in place. */
  readonly refill: () => Promise<void>
}

/**
 * Keeps the index of one process level with what the others commit to the same Postgres, by the change log: a search
 * there finds, and a write is judged against, every row that was committed before it. Where one process has the
 * store to itself the index follows its own commits, and there is nothing to do. Made before the index is filled.
 */
export async function createIndexFollower({ database, index, model, refill }: FollowerOptions): Promise<IndexFollower> {
  if (database.kind === 'pglite') return { catchUp: () => Promise.resolve() }
  const start = await horizonOf(database)
  /** By org: the horizon of the last look, and the changes at or past it that were read already. */
  const places = new Map<string, { horizon: string; read: Set<string> }>()
  const looks = new Map<string, { running: Promise<void>; next: Promise<void> | null }>()

  /** Transactions end in another order than they begin, so what is past the horizon is looked at again each time. */
  async function notedSince(org: string, horizon: string): Promise<Noted> {
    const { rows } = await sql<Noted>`SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon,
        coalesce((SELECT change_floor >= ${horizon}::xid8 FROM loom.org WHERE org = ${org}), false) AS too_late,
        coalesce((SELECT jsonb_agg(jsonb_build_array(c.xid::text || '/' || c.seq, c.row_key[1]) ORDER BY c.xid, c.seq) FROM loom.change_log c
          WHERE c.org = ${org} AND c.xid >= ${horizon}::xid8 AND c.relation = 'memory'), '[]'::jsonb) AS changes`.execute(database.reader)
    return rows[0] ?? { horizon, too_late: false, changes: [] }
  }

  async function look(org: string): Promise<void> {
    const place = places.get(org) ?? { horizon: start, read: new Set<string>() }
    const { horizon, too_late: tooLate, changes } = await notedSince(org, place.horizon)
    if (tooLate) {
      await refill()
      places.set(org, { horizon, read: new Set() })
      return
    }
    const fresh = changes.filter(([at]) => !place.read.has(at))
    const ids = [...new Set(fresh.map(([, memoryId]) => memoryId))]
    if (ids.length > 0) await indexRows(database.reader, index(), org, ids, model())
    places.set(org, { horizon, read: new Set(changes.map(([at]) => at)) })
  }

  function catchUp(org: string): Promise<void> {
    const under = looks.get(org)
    // A look under way may have begun before the commit that is waited for: whoever comes now shares the next one.
    if (under) return (under.next ??= under.running.catch(() => {}).then(() => catchUp(org)))
    const running = look(org).finally(() => looks.delete(org))
    looks.set(org, { running, next: null })
    return running
  }
  return { catchUp }
}
