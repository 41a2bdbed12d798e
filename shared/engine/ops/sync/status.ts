import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { syncStatus as contract } from '../../../contract/ops/sync/status.ts'
import { defineRead, type ReadContext } from '../../handler.ts'
import { isShapeName, SHAPES, type ShapeName } from '../../shapes/definitions.ts'
import { iso } from '../../store/row-view.ts'
import { failedErasures } from '../../sync/desktop/fences.ts'
import { openItems } from '../../sync/desktop/inbox.ts'
import { queueCounts } from '../../sync/desktop/outbox.ts'
import { tableOf } from '../../sync/desktop/rows.ts'
import { syncOf } from '../../sync/desktop/sync-of.ts'

type Status = Output<typeof contract>

const OFF: Status = {
  state: 'off',
  server_url: '',
  server_id: '',
  org: '',
  subject: '',
  device_id: '',
  grants: {},
  queued: 0,
  oldest_queued_at: null,
  quarantined: 0,
  inbox: 0,
  last_push_at: null,
  last_pull_at: null,
  erasure_seq: 0,
  erasures_failed: [],
  judge_version_server: '',
  shapes: [],
  error: null,
  retry_at: null,
}

async function shapesOf({ db }: ReadContext, org: string): Promise<Status['shapes']> {
  const { rows } = await sql<{ shape: string; up_to_date: boolean; staging: boolean }>`SELECT shape, up_to_date, staging
    FROM loom.shape_state WHERE org = ${org} ORDER BY shape`.execute(db)
  const shapes: Status['shapes'] = []
  for (const { shape, up_to_date, staging } of rows) {
    if (!isShapeName(shape)) continue
    shapes.push({ table: shape, up_to_date: up_to_date && !staging, rows: await countOf(shape, org, db), refetching: staging })
  }
  return shapes
}

async function countOf(name: ShapeName, org: string, db: ReadContext['db']): Promise<number> {
  const { rows } = await sql<{
    rows: number
  }>`SELECT count(*)::int AS rows FROM ${sql.table(`${SHAPES[name].relation[0]}.${tableOf(name)}`)}
    WHERE org = ${org}`.execute(db)
  return rows[0]?.rows ?? 0
}

export const syncStatus = defineRead(contract, async (_input, context): Promise<Status> => {
  const { connection, state } = syncOf(context)
  if (connection === null) return OFF
  const { org } = connection
  const queue = await queueCounts(context.db, org)
  const { rows } = await sql<{ last_push_at: Date | null; last_pull_at: Date | null }>`SELECT last_push_at, last_pull_at
    FROM loom.sync_state WHERE org = ${org}`.execute(context.db)
  return {
    state: state.name,
    server_url: connection.serverUrl,
    server_id: connection.serverId,
    org,
    subject: connection.claims.subject,
    device_id: connection.deviceId,
    grants: connection.claims.grants,
    queued: queue.queued,
    oldest_queued_at: iso(queue.oldest),
    quarantined: queue.quarantined,
    inbox: await openItems(context.db, org),
    last_push_at: iso(rows[0]?.last_push_at ?? null),
    last_pull_at: iso(rows[0]?.last_pull_at ?? null),
    erasure_seq: Number(connection.erasureSeq),
    erasures_failed: await failedErasures(context.parts, org),
    judge_version_server: connection.judgeVersion,
    shapes: await shapesOf(context, org),
    error: state.error,
    retry_at: iso(state.retryAt),
  }
})
