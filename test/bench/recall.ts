import { createHash } from 'node:crypto'
import { openEmptyEngine, percentile, type BenchEngine } from './lib/engine.ts'
import { plainBm25, readDialogues, type Dialogue, type Question, type Turn } from './lib/locomo.ts'

interface Figures {
  readonly any_at_5: number
  readonly any_at_10: number
  readonly frac_at_10: number
  readonly mrr: number
}

/** Names of turns, best first, for a question asked in a scope. */
type Ranker = (question: string, scope: string) => Promise<readonly string[]>

const POOL = 'all'
const DEPTH = 10
/** memory.bulk_set takes no more entries in one call. */
const AT_ONCE = 1000

/** A key as importers give it to what has no name of its own: a digest, which takes no part in search. */
const keyOf = ({ id }: Turn): string => `import:${createHash('sha256').update(id).digest('hex').slice(0, 24)}`

/** Writes each dialogue into a namespace of its own. Answers the turn of each key and how many were written. */
async function write(loom: BenchEngine, dialogues: readonly Dialogue[], say: (line: string) => void) {
  const turnOf = new Map<string, string>()
  const statuses: Record<string, number> = {}
  for (const { name, turns } of dialogues) {
    for (let from = 0; from < turns.length; from += AT_ONCE) {
      const entries = turns.slice(from, from + AT_ONCE).map((turn) => {
        turnOf.set(keyOf(turn), turn.id)
        return {
          memory_key: keyOf(turn),
          value: `${turn.speaker}: ${turn.text}`,
          session_id: turn.session,
          valid_at: new Date(turn.at).toISOString(),
        }
      })
      const written = await loom.call('memory.bulk_set', { namespace: name, entries })
      for (const { status } of written.written) statuses[status] = (statuses[status] ?? 0) + 1
      if (written.merged.length > 0) statuses['merged'] = (statuses['merged'] ?? 0) + written.merged.length
      const lost = [...written.refused, ...written.failed, ...written.skipped_blacklisted]
      if (lost.length > 0) throw new Error(`${name}: ${lost.length} turns were not written: ${JSON.stringify(lost[0])}`)
    }
    say(`${name}: ${turns.length} turns written`)
  }
  await loom.runDueJobs()
  return { turnOf, statuses }
}

function figures(asked: readonly { readonly question: Question; readonly found: readonly string[] }[]): Figures {
  const share = (of: (evidence: ReadonlySet<string>, found: readonly string[]) => number): number =>
    asked.reduce((sum, { question, found }) => sum + of(question.evidence, found.slice(0, DEPTH)), 0) / Math.max(1, asked.length)
  const anyAt = (depth: number): number => share((evidence, found) => (found.slice(0, depth).some((id) => evidence.has(id)) ? 1 : 0))
  return {
    any_at_5: anyAt(5),
    any_at_10: anyAt(DEPTH),
    frac_at_10: share((evidence, found) => found.filter((id) => evidence.has(id)).length / evidence.size),
    mrr: share((evidence, found) => {
      const first = found.findIndex((id) => evidence.has(id))
      return first < 0 ? 0 : 1 / (first + 1)
    }),
  }
}

/** What each ranker finds for each question. */
async function ask(dialogues: readonly Dialogue[], rank: Ranker, scopeOf: (dialogue: Dialogue) => string) {
  const found = new Map<Question, readonly string[]>()
  for (const dialogue of dialogues)
    for (const question of dialogue.questions) found.set(question, await rank(question.text, scopeOf(dialogue)))
  return (some: readonly Dialogue[], counts: (question: Question) => boolean = () => true): Figures & { questions: number } => {
    const asked = some
      .flatMap((dialogue) => dialogue.questions.filter(counts))
      .map((question) => ({ question, found: found.get(question) ?? [] }))
    return { questions: asked.length, ...figures(asked) }
  }
}

/**
 * Recall of evidence turns on a LoCoMo-shaped file, written with memory.bulk_set and asked with memory.search, dialogue
 * by dialogue and over all of them, beside plain BM25 on the same turns. Rates are 0 to 1, over all questions whose
 * evidence is in the file; hits that are not near count too. Times are ms of a search, the embedding included.
 */
export async function bench({ data, json }: { data?: string; json: boolean }): Promise<Record<string, unknown>> {
  if (data === undefined) {
    return {
      skipped: 'recall needs a file shaped like LoCoMo: --data FILE. LoCoMo itself may not be shared (CC BY-NC), so none ships with Loom.',
    }
  }
  const say = (line: string): void => void (json || process.stderr.write(`${line}\n`))
  const dialogues = await readDialogues(data)
  const turns = dialogues.flatMap((dialogue) => dialogue.turns)
  say(`${dialogues.length} dialogues, ${turns.length} turns`)
  const loom = await openEmptyEngine()
  try {
    const { turnOf, statuses } = await write(loom, dialogues, say)
    const times: number[] = []
    let degraded: readonly string[] = []
    const search: Ranker = async (query, scope) => {
      const from = performance.now()
      const names = dialogues.map(({ name }) => name)
      const where = scope === POOL ? { namespace: names[0] ?? '', namespace_scope: names.slice(1) } : { namespace: scope }
      const answer = await loom.call('memory.search', { ...where, query, top_k: DEPTH, include_top_n_unmatched: DEPTH })
      times.push(performance.now() - from)
      degraded = answer.degraded
      return answer.results.map((hit) => turnOf.get(hit.memory_key) ?? '')
    }
    const floors = new Map([[POOL, plainBm25(turns)], ...dialogues.map(({ name, turns }) => [name, plainBm25(turns)] as const)])
    const floor: Ranker = async (text, scope) => floors.get(scope)?.(text) ?? []
    const [one, all] = [({ name }: Dialogue): string => name, (): string => POOL]
    const ours = { one: await ask(dialogues, search, one), all: await ask(dialogues, search, all) }
    const bm25 = { one: await ask(dialogues, floor, one), all: await ask(dialogues, floor, all) }
    const both = (scope: 'one' | 'all', some: readonly Dialogue[], counts?: (question: Question) => boolean) => ({
      ...ours[scope](some, counts),
      bm25: bm25[scope](some, counts),
    })
    const perDialogue = both('one', dialogues)
    return {
      ...perDialogue,
      per_dialogue: perDialogue,
      no_shared_word: both('one', dialogues, (question) => !question.sharesWords),
      pooled: both('all', dialogues),
      dialogues: Object.fromEntries(dialogues.map((dialogue) => [dialogue.name, both('one', [dialogue])])),
      turns: turns.length,
      statuses,
      embedder: loom.embedder.id,
      degraded,
      search_ms: { p50: percentile(times, 0.5), p95: percentile(times, 0.95) },
    }
  } finally {
    await loom.close()
  }
}
