import { isLoomError } from '../../../contract/errors.ts'
import { stringifyJson } from '../../../contract/json.ts'
import { textIn, textsIn, type Fields, type Place } from '../found.ts'
import { orTold, ownerOf, type Restoring } from './context.ts'

/** Events of one call. */
const BATCH = 100

/** 64 bits of a text, of no use against who wants two alike: a key that means another call is refused. */
function hashOf(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (let at = 0; at < text.length; at++) hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(at))) * 0x100000001b3n)
  return hash.toString(16)
}

const isOver = (status: unknown): boolean => status !== 'running'

/** What an event says; two of a run that say the same are the same. */
const saying = ({ kind, name, summary, at, ok, files, memory_keys }: Fields): string =>
  JSON.stringify([kind, name, summary, Date.parse(String(at)), ok, files, memory_keys])

const toldEvent = (row: Fields): Fields => ({
  kind: row['kind'],
  name: row['name'],
  summary: row['summary'],
  files: row['files'],
  memory_keys: row['memory_keys'],
  ok: row['ok'],
  at: row['at'],
  ...(row['duration_ms'] !== null && row['duration_ms'] !== undefined && { duration_ms: Number(row['duration_ms']) }),
})

const endOf = (row: Fields): Fields => ({
  status: row['status'],
  final_response: row['final_response'],
  confidence: row['confidence'],
  memories_used: textsIn(row, 'memories_used'),
  recalled_keys: textsIn(row, 'recalled_keys'),
  outcome: textIn(row, 'outcome') === '' ? null : row['outcome'],
  weight: row['weight'],
  reflection: row['reflection'],
  retain: row['retain'],
  ...(row['duration_ms'] !== null && row['duration_ms'] !== undefined && { duration_ms: Number(row['duration_ms']) }),
})

/** Puts runs back by the operations that begin, end and grade one; then their events, those of each together. */
export function createRuns(restoring: Restoring) {
  const { client, place, dryRun, options, tally } = restoring
  let held: { readonly row: Fields; readonly at: Place }[] = []
  // What the run whose events are being read holds already, each saying as often as it stands there.
  let stored: { readonly run: string; readonly sayings: Map<string, number> } | null = null

  async function storedEvents(runId: string): Promise<Map<string, number>> {
    if (stored?.run === runId) return stored.sayings
    const sayings = new Map<string, number>()
    let cursor: unknown = null
    do {
      const input = { ...place, run_id: runId, limit: 1000, ...(cursor !== null && { cursor }) }
      const page = await client.call('run.get', input, options)
      for (const event of (page['event_list'] as Fields[] | undefined) ?? []) {
        const said = saying(event)
        sayings.set(said, (sayings.get(said) ?? 0) + 1)
      }
      cursor = page['next_cursor'] ?? null
    } while (cursor !== null)
    stored = { run: runId, sayings }
    return sayings
  }

  async function putRun(row: Fields): Promise<void> {
    const { run_id, goal, parent_run_id, metadata } = row
    const there = await client.call('run.get', { ...place, run_id, events: false }, options)
    if (there['found'] === true && (isOver(there['status']) || !isOver(row['status']))) return tally.result('skipped', 'unchanged')
    tally.result('written', '', 'run')
    if (dryRun) return
    if (there['found'] !== true)
      await client.call('run.start', { ...place, ...ownerOf(row), run_id, goal, parent_run_id, metadata }, options)
    if (!isOver(row['status'])) return
    await client.call('run.complete', { ...place, ...ownerOf(row), run_id, ...endOf(row) }, options)
    const grade = textIn(row, 'grade')
    if (grade !== '') await client.call('run.grade', { ...place, run_id, grade, reason: row['grade_reason'] }, options)
  }

  async function flush(): Promise<void> {
    const events = held
    held = []
    const [first] = events
    if (!first) return
    const { run_id } = first.row
    await orTold(first.at, restoring, `events of run ${String(run_id)}`, async () => {
      const told = events.map(({ row }) => toldEvent(row))
      if (dryRun) return tally.result('written', '', 'event', told.length)
      const input = { ...place, ...ownerOf(first.row), run_id, events: told }
      const outcome = await append(input)
      if (outcome === 'no_run') for (const _ of told) tally.left('reading')
      else if (outcome === 'under_way') tally.result('skipped', 'unchanged', 'event', told.length)
      else tally.result('written', '', 'event', told.length)
    })
  }

  /** Events have no ids: two imports at once know each other's by a key made of what they say. */
  async function append(input: Fields): Promise<'stored' | 'no_run' | 'under_way'> {
    try {
      const { found } = await client.call('run.event', input, { ...options, idempotencyKey: `import-${hashOf(stringifyJson(input))}` })
      return found === true ? 'stored' : 'no_run'
    } catch (error) {
      if (!isLoomError(error)) throw error
      if (error.code === 'IN_PROGRESS') return 'under_way'
      if (error.code !== 'IDEMPOTENCY_MISMATCH') throw error
      // The answer of an earlier import was erased with what it stored.
      const { found } = await client.call('run.event', input, options)
      return found === true ? 'stored' : 'no_run'
    }
  }

  return {
    flush,
    async run(row: Fields, at: Place): Promise<void> {
      // The session of an MCP client is a log of its calls, and no work that somebody named.
      if (row['implicit'] === true) return tally.left('reading')
      tally.found()
      await orTold(at, restoring, `run ${String(row['run_id'])}`, () => putRun(row))
    },
    async event(row: Fields, at: Place): Promise<void> {
      // Calls are the ledger of the host that answered them.
      if (row['kind'] === 'op') return tally.left('reading')
      tally.found()
      const sayings = await storedEvents(String(row['run_id']))
      const again = sayings.get(saying(row)) ?? 0
      if (again > 0) {
        sayings.set(saying(row), again - 1)
        return tally.result('skipped', 'unchanged')
      }
      const [first] = held
      const isOther = first && JSON.stringify([first.row['run_id'], ownerOf(first.row)]) !== JSON.stringify([row['run_id'], ownerOf(row)])
      if (isOther) await flush()
      held.push({ row, at })
      if (held.length >= BATCH) await flush()
    },
  }
}
