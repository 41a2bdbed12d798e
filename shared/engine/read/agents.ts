import { sql } from 'kysely'
import { TEST_CLIENT, type AgentRow, type RecalledKey } from '../../contract/host-calls.ts'
import { REGISTRY } from '../../contract/registry.ts'
import type { OpContract } from '../../contract/declare.ts'
import { INSTALL_ORG } from '../caller.ts'
import type { Clock } from '../clock.ts'
import type { Reader } from '../db/database.ts'
import type { EngineParts } from '../parts.ts'
import { writers } from '../store/runs.ts'

/** Agents of an org, and what each was served, by the ledger of requests. */
export interface Agents {
  /** The last to call first; of the install's own org where it is "". */
  list(org: string): Promise<AgentRow[]>
  /** How many of those are connected: of the ledger it reads half an hour. */
  connected(org: string): Promise<number>
  /** Keys that were served to one of them in the last 30 days, latest first. */
  recalled(org: string, agent: string, limit: number): Promise<RecalledKey[]>
}

const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
const MONTH_MS = 30 * DAY_MS
/** Agents that nobody saw for longer are not listed. */
const LISTED_MS = 365 * DAY_MS
/** A call over HTTP leaves no session: for this long its agent counts as connected. */
const NEAR_MS = 30 * 60_000
const MOST_AGENTS = 500
const NOT_AGENTS = ['', TEST_CLIENT]

/** Operations whose answers bring memories to an agent. */
const recalls = (): string[] =>
  Object.values<OpContract>(REGISTRY)
    .filter(({ name, kind, rate }) => kind === 'read' && (rate === 'search' || /^memory\.(get|get_by_id|related|for_file)$/.test(name)))
    .map(({ name }) => name)

/** An agent in one namespace; "" for calls that are about none. */
interface Seen {
  readonly agent: string
  readonly namespace: string
  readonly first_at: Date
  readonly last_at: Date
  readonly last_op: string
  readonly last_run: string
}

/** Who called between two times. What each last asked for is looked up by the index. */
async function seenBetween(db: Reader, org: string, from: Date, to: Date | null): Promise<Seen[]> {
  const until = to ? sql`AND e.at < ${to}` : sql``
  const { rows } = await sql<Seen>`SELECT s.*, l.name AS last_op, l.run_id AS last_run FROM (
      SELECT e.agent, e.namespace, min(e.at) AS first_at, max(e.at) AS last_at FROM loom.run_event e
      WHERE e.org = ${org} AND e.kind = 'op' AND e.at >= ${from} ${until} AND e.agent <> ALL (${NOT_AGENTS}::text[])
      GROUP BY e.agent, e.namespace) s
    CROSS JOIN LATERAL (SELECT e.name, e.run_id FROM loom.run_event e
      WHERE e.org = ${org} AND e.namespace = s.namespace AND e.at = s.last_at AND e.agent = s.agent AND e.kind = 'op'
      ORDER BY e.event_id DESC LIMIT 1) l`.execute(db)
  return rows
}

type Last = Pick<Seen, 'agent' | 'last_at' | 'last_run'>

/** The last call of each agent since a moment not long ago: by the index, namespace by namespace (`OFFSET 0`), or the planner reads all. */
async function lastSince(db: Reader, org: string, from: Date): Promise<Last[]> {
  const { rows } = await sql<Last>`WITH RECURSIVE place AS (
      (SELECT namespace FROM loom.run_event WHERE org = ${org} ORDER BY namespace LIMIT 1)
      UNION ALL
      SELECT (SELECT e.namespace FROM loom.run_event e WHERE e.org = ${org} AND e.namespace > p.namespace ORDER BY e.namespace LIMIT 1)
      FROM place p WHERE p.namespace IS NOT NULL)
    SELECT DISTINCT ON (l.agent) l.agent, l.at AS last_at, l.run_id AS last_run FROM place CROSS JOIN LATERAL (
      SELECT e.agent, e.at, e.event_id, e.run_id FROM loom.run_event e
      WHERE e.org = ${org} AND e.namespace = place.namespace AND e.at >= ${from} AND e.kind = 'op' AND e.agent <> ALL (${NOT_AGENTS}::text[])
      OFFSET 0) l
    ORDER BY l.agent, l.at DESC, l.event_id DESC`.execute(db)
  return rows
}

interface Counted {
  readonly agent: string
  readonly calls: number
  readonly wrote: number
  readonly recalled: number
}

async function countedSince(db: Reader, org: string, week: Date): Promise<Map<string, Counted>> {
  const { rows } = await sql<Counted>`WITH e AS (
      SELECT agent, namespace, name, ok, memory_keys FROM loom.run_event WHERE org = ${org} AND kind = 'op' AND at >= ${week}),
    keys AS (
      SELECT e.agent, count(DISTINCT (e.namespace, k.key)) FILTER (WHERE e.name = any(${writers()}::text[]))::int AS wrote,
        count(*) FILTER (WHERE e.name = any(${recalls()}::text[]))::int AS recalled
      FROM e CROSS JOIN LATERAL unnest(e.memory_keys) AS k(key) WHERE e.ok GROUP BY e.agent)
    SELECT e.agent, count(*)::int AS calls, coalesce(max(k.wrote), 0) AS wrote, coalesce(max(k.recalled), 0) AS recalled
    FROM e LEFT JOIN keys k ON k.agent = e.agent GROUP BY e.agent`.execute(db)
  return new Map(rows.map((row) => [row.agent, row]))
}

/** Since when each agent has a session of MCP open. */
async function openSessions(db: Reader, org: string): Promise<Map<string, Date>> {
  const { rows } = await sql<{ agent: string; since: Date }>`SELECT agent, min(started_at) AS since FROM loom.run
    WHERE org = ${org} AND implicit AND status = 'running' GROUP BY agent`.execute(db)
  return new Map(rows.map(({ agent, since }) => [agent, since]))
}

function grouped(rows: readonly Seen[]): Map<string, readonly Seen[]> {
  const groups = new Map<string, Seen[]>()
  for (const row of rows) groups.set(row.agent, [...(groups.get(row.agent) ?? []), row])
  const newestFirst = (a: Seen, b: Seen): number => b.last_at.getTime() - a.last_at.getTime() || (a.namespace < b.namespace ? -1 : 1)
  return new Map([...groups].map(([agent, group]) => [agent, group.toSorted(newestFirst)]))
}

/** What lies more than a week back changes by erasures alone: it is read once a day. */
interface Past {
  readonly until: Date
  readonly erasureSeq: bigint
  readonly rows: readonly Seen[]
}

export function createAgents({ database, ledger, numbers }: Pick<EngineParts, 'database' | 'ledger' | 'numbers'>, clock: Clock): Agents {
  const pasts = new Map<string, Past>()

  async function pastOf(org: string, now: number): Promise<Past> {
    const known = pasts.get(org)
    const erasureSeq = numbers.known(org)
    if (known && known.erasureSeq === erasureSeq && now - known.until.getTime() < WEEK_MS + DAY_MS && now >= known.until.getTime())
      return known
    const until = new Date(now - WEEK_MS)
    const past = { until, erasureSeq, rows: await seenBetween(database.reader, org, new Date(now - LISTED_MS), until) }
    pasts.set(org, past)
    return past
  }

  async function list(named: string): Promise<AgentRow[]> {
    const org = named || INSTALL_ORG
    const now = clock()
    await ledger.flush()
    const past = await pastOf(org, now)
    const recent = await seenBetween(database.reader, org, past.until, null)
    const counted = await countedSince(database.reader, org, new Date(now - WEEK_MS))
    const sessions = await openSessions(database.reader, org)
    const rows = [...grouped([...past.rows, ...recent])].map(([agent, seen]) =>
      viewOf(seen, { now, since: sessions.get(agent) ?? null, counts: counted.get(agent), seen: ledger.lastTransport(org, agent) }),
    )
    return rows
      .toSorted((a, b) => (a.last_at === b.last_at ? (a.agent < b.agent ? -1 : 1) : a.last_at < b.last_at ? 1 : -1))
      .slice(0, MOST_AGENTS)
  }

  async function connected(named: string): Promise<number> {
    const org = named || INSTALL_ORG
    const now = clock()
    await ledger.flush()
    const near = await lastSince(database.reader, org, new Date(now - NEAR_MS))
    const sessions = await openSessions(database.reader, org)
    const bare = near.filter((last) => isConnected(last, null, now, ledger.lastTransport(org, last.agent)))
    return new Set([...sessions.keys(), ...bare.map(({ agent }) => agent)].filter((agent) => !NOT_AGENTS.includes(agent))).size
  }

  async function recalled(named: string, agent: string, limit: number): Promise<RecalledKey[]> {
    await ledger.flush()
    const from = new Date(clock() - MONTH_MS)
    const { rows } = await sql<{ memory_key: string; namespace: string; at: Date; times: number }>`
      SELECT k.key AS memory_key, e.namespace, max(e.at) AS at, count(*)::int AS times
      FROM loom.run_event e CROSS JOIN LATERAL unnest(e.memory_keys) AS k(key)
      WHERE e.org = ${named || INSTALL_ORG} AND e.agent = ${agent} AND e.kind = 'op' AND e.ok AND e.at >= ${from}
        AND e.name = any(${recalls()}::text[])
      GROUP BY k.key, e.namespace ORDER BY max(e.at) DESC, k.key LIMIT ${limit}`.execute(database.reader)
    return rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }))
  }
  return { list, connected, recalled }
}

/** Whoever has a session open came over MCP, whatever else it calls. */
const isOverMcp = (last: Last, since: Date | null): boolean => since !== null || last.last_run.startsWith('mcp:')

function isConnected(last: Last, since: Date | null, now: number, seen: AgentRow['transport'] | null): boolean {
  if (isOverMcp(last, since)) return since !== null
  return seen !== 'cli' && now - last.last_at.getTime() < NEAR_MS
}

interface Known {
  readonly now: number
  /** Of the open session. */
  readonly since: Date | null
  readonly counts: Counted | undefined
  readonly seen: AgentRow['transport'] | null
}

/** @param places of one agent, latest first */
function viewOf(places: readonly Seen[], { now, since, counts, seen }: Known): AgentRow {
  const [last] = places as readonly [Seen, ...Seen[]]
  const first = places.reduce((earliest, { first_at }) => (first_at < earliest ? first_at : earliest), last.first_at)
  return {
    agent: last.agent,
    namespaces: [...new Set(places.map(({ namespace }) => namespace).filter((namespace) => namespace !== ''))],
    transport: isOverMcp(last, since) ? 'mcp' : (seen ?? 'unknown'),
    connected: isConnected(last, since, now, seen),
    first_at: (since ?? first).toISOString(),
    last_at: last.last_at.toISOString(),
    last_op: last.last_op,
    calls: counts?.calls ?? 0,
    wrote: counts?.wrote ?? 0,
    recalled: counts?.recalled ?? 0,
  }
}
