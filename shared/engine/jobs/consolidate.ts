import { sql } from 'kysely'
import { memoryConsolidate } from '../../contract/ops/memory/consolidate.ts'
import { isLoomError } from '../../contract/errors.ts'
import type { EngineParts } from '../parts.ts'
import { notSummary } from '../read/summary-sources.ts'
import { consolidate as store, prepareSummary } from '../write/consolidate.ts'
import type { Job } from './job.ts'
import { isOfServer, workerCaller, workerWrite } from './worker-write.ts'

const NAME = 'consolidate'
/** Rows about one thing from which a summary is worth its place. */
const LEAST_ROWS = 5
/** Summaries of one run: the rest waits for the next. */
const MOST = 100
const AGENT = 'loom'

interface Group {
  readonly org: string
  readonly namespace: string
  readonly user_id: string
  readonly entity: string
}

/** Entities that many rows of a user are about, those first whose rows changed last. */
async function groupsOf(parts: EngineParts): Promise<Group[]> {
  const { rows } = await sql<Group>`SELECT m.org, m.namespace, m.user_id, e AS entity FROM loom.memory m, unnest(m.entities) AS e
    WHERE m.status = 'active' AND m.erased_by = '' AND m.memory_type = 'semantic' AND m.sensitivity <> 'high' AND ${notSummary}
    GROUP BY m.org, m.namespace, m.user_id, e HAVING count(*) >= ${LEAST_ROWS} ORDER BY max(m.version) DESC`.execute(parts.database.reader)
  return rows
}

/** Answers whether there was anything to make. */
async function consolidateGroup(group: Group, parts: EngineParts): Promise<boolean> {
  const identity = { org: group.org, namespace: group.namespace, agent: AGENT, user_id: group.user_id, session_id: '-' }
  const input = memoryConsolidate.input.parse({ entity: group.entity })
  const given = { user_id: group.user_id }
  const context = {
    caller: workerCaller(NAME),
    actor: `worker:${NAME}`,
    identity,
    given,
    now: new Date(parts.clock()),
    parts,
    degraded: new Set<string>(),
    db: parts.database.reader,
  }
  return parts.exclusive.run(`${group.org}/${group.namespace}`, async () => {
    const ready = await prepareSummary(input, context)
    if (ready) await workerWrite(parts, NAME, identity, (write) => store(`worker:${NAME}`, input, { ...write, given }, ready))
    return ready !== null
  })
}

/** Builds summaries of what many rows are about, where it is switched on; their sources stay. */
export const consolidate: Job = {
  name: NAME,
  everyMs: 24 * 3600 * 1000,
  async run(parts, signal) {
    if (!parts.config.consolidateEnabled) return 'done'
    let made = 0
    for (const group of await groupsOf(parts)) {
      if (signal.aborted || made >= MOST) return 'done'
      if (isOfServer(parts, group.org)) continue
      try {
        if (await consolidateGroup(group, parts)) made++
      } catch (error) {
        // A summary that somebody pinned, locked or is writing stays as it is.
        if (!isLoomError(error)) throw error
      }
    }
    return 'done'
  },
}
