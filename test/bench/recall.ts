import { readFile } from 'node:fs/promises'
import { createHotIndex } from '../../shared/engine/index/hot-index.ts'
import type { HotIndex, IndexedRow } from '../../shared/engine/index/types.ts'
import type { Embedder } from '../../shared/engine/ports.ts'
import { openModels } from '../helpers/models.ts'

/** One turn of a dialogue; `id` is unique over all dialogues of the file. */
interface Turn {
  readonly id: string
  readonly session: string
  readonly position: number
  readonly speaker: string
  readonly text: string
  readonly date: string
  readonly at: number
}

interface Question {
  readonly text: string
  readonly evidence: ReadonlySet<string>
}

interface Dialogue {
  readonly name: string
  readonly turns: readonly Turn[]
  readonly questions: readonly Question[]
}

interface Figures {
  readonly any_at_5: number
  readonly any_at_10: number
  readonly frac_at_10: number
  readonly mrr: number
}

/** Names of turns, best first, for a question asked in a scope. */
type Ranker = (question: string, scope: string) => readonly string[]

const POOL = 'all'
const MONTHS = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december']

/** "1:56 pm on 8 May, 2023" as ms; other spellings as far as JavaScript reads them, else 1970. */
function instantOf(date: string): number {
  const found = /^(\d+):(\d+) ([ap])m on (\d+) (\w+),? (\d+)$/i.exec(date.trim())
  const month = MONTHS.indexOf(found?.[5]?.toLowerCase() ?? '')
  if (found === null || month < 0) return Date.parse(date) || 0
  const hour = (Number(found[1]) % 12) + (found[3]?.toLowerCase() === 'p' ? 12 : 0)
  return Date.UTC(Number(found[6]), month, Number(found[4]), hour, Number(found[2]))
}

interface LocomoDialogue {
  readonly sample_id?: string
  readonly conversation: Readonly<Record<string, unknown>>
  readonly qa: readonly { readonly question: string; readonly evidence?: readonly string[] }[]
}

/** Reads a LoCoMo-shaped file: turns of all sessions, and the questions whose evidence is among them. */
async function readDialogues(file: string): Promise<Dialogue[]> {
  const samples = JSON.parse(await readFile(file, 'utf8')) as readonly LocomoDialogue[]
  return samples.map(({ sample_id, conversation, qa }, number) => {
    const name = sample_id ?? `dialogue-${number + 1}`
    const turns = Object.entries(conversation).flatMap(([session, said]): Turn[] => {
      if (!/^session_\d+$/.test(session) || !Array.isArray(said)) return []
      const saidAt = conversation[`${session}_date_time`]
      const date = typeof saidAt === 'string' ? saidAt : ''
      return (said as { dia_id: string; speaker: string; text?: string }[]).map((turn, position) => ({
        id: `${name} ${turn.dia_id}`,
        session: `${name} ${session}`,
        position,
        speaker: turn.speaker,
        text: turn.text ?? '',
        date,
        at: instantOf(date),
      }))
    })
    const known = new Set(turns.map(({ id }) => id))
    const questions = qa
      .map(({ question, evidence = [] }) => {
        const named = evidence.flatMap((text) => [...text.matchAll(/D\d+:\d+/g)].map(([id]) => `${name} ${id}`))
        return { text: question, evidence: new Set(named.filter((id) => known.has(id))) }
      })
      .filter(({ evidence }) => evidence.size > 0)
    return { name, turns, questions }
  })
}

const STOP = new Set(
  'a an the of to in on at for and or is are was were be been do does did has have had with by from that this it its as i you he she they we his her their our my your what when where who how why which would could should'.split(
    ' ',
  ),
)

/** Plain BM25 (k1 1.2, b 0.75) over date, speaker and text, words as they are: the floor of every figure. */
function plainBm25(turns: readonly Turn[]): (question: string) => readonly string[] {
  const wordsOf = (text: string): string[] => (text.toLowerCase().match(/[a-z0-9]+(?:'[a-z]+)?/g) ?? []).filter((word) => !STOP.has(word))
  const postings = new Map<string, Map<number, number>>()
  const lengths = turns.map(({ date, speaker, text }, turn) => {
    const words = wordsOf(`${date} ${speaker} ${text}`)
    for (const word of words) {
      const holding = postings.get(word) ?? new Map<number, number>()
      postings.set(word, holding.set(turn, (holding.get(turn) ?? 0) + 1))
    }
    return words.length
  })
  const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, turns.length)
  return (question) => {
    const scores = new Map<number, number>()
    for (const word of wordsOf(question)) {
      const holding = postings.get(word)
      if (holding === undefined) continue
      const idf = Math.log(1 + (turns.length - holding.size + 0.5) / (holding.size + 0.5))
      for (const [turn, times] of holding) {
        const gain = (idf * times * 2.2) / (times + 1.2 * (0.25 + (0.75 * (lengths[turn] ?? 0)) / mean))
        scores.set(turn, (scores.get(turn) ?? 0) + gain)
      }
    }
    return [...scores]
      .sort((a, b) => b[1] - a[1] || a[0] - b[0])
      .slice(0, 10)
      .map(([turn]) => turns[turn]?.id ?? '')
  }
}

const embeddedText = ({ speaker, text }: Turn): string => `${speaker}: ${text}`

function rowOf(turn: Turn, namespace: string, valueVector: Float32Array | null): IndexedRow {
  return {
    memoryId: `${namespace} ${turn.id}`,
    org: 'bench',
    namespace,
    agent: '-',
    userId: '-',
    sessionId: turn.session,
    runId: '',
    memoryKey: turn.id,
    memoryType: 'semantic',
    status: 'active',
    sourceClass: 'imported',
    confidence: 1,
    pinned: false,
    version: 1n,
    createdAt: turn.at,
    validAt: turn.at,
    updatedAt: turn.at,
    expiresAt: null,
    validTo: null,
    tags: [],
    entities: [],
    actor: 'bench',
    text: embeddedText(turn),
    keyIndexed: false,
    chunks: [],
    position: turn.position,
    searchable: true,
    valueVector,
    keyVector: null,
  }
}

/** The index with every turn twice: in the namespace of its dialogue, and in one of all. */
async function fill(dialogues: readonly Dialogue[], embedder: Embedder | null): Promise<HotIndex> {
  const index = createHotIndex(embedder === null ? {} : { dim: embedder.dim })
  for (const { name, turns } of dialogues) {
    const vectors = (await embedder?.embed(turns.map(embeddedText))) ?? []
    turns.forEach((turn, i) => {
      for (const namespace of [name, POOL]) index.upsert(rowOf(turn, namespace, vectors[i] ?? null))
    })
  }
  return index
}

function figures(asked: readonly { readonly question: Question; readonly found: readonly string[] }[]): Figures {
  const share = (of: (evidence: ReadonlySet<string>, found: readonly string[]) => number): number =>
    asked.reduce((sum, { question, found }) => sum + of(question.evidence, found.slice(0, 10)), 0) / Math.max(1, asked.length)
  const anyAt = (depth: number): number => share((evidence, found) => (found.slice(0, depth).some((id) => evidence.has(id)) ? 1 : 0))
  return {
    any_at_5: anyAt(5),
    any_at_10: anyAt(10),
    frac_at_10: share((evidence, found) => found.filter((id) => evidence.has(id)).length / evidence.size),
    mrr: share((evidence, found) => {
      const first = found.findIndex((id) => evidence.has(id))
      return first < 0 ? 0 : 1 / (first + 1)
    }),
  }
}

function ask(dialogues: readonly Dialogue[], rank: Ranker, scopeOf: (dialogue: Dialogue) => string): Figures {
  return figures(
    dialogues.flatMap((dialogue) => dialogue.questions.map((question) => ({ question, found: rank(question.text, scopeOf(dialogue)) }))),
  )
}

/**
 * Recall of evidence turns on a LoCoMo-shaped file, searched dialogue by dialogue and in one pool, beside plain BM25
 * on the same turns. Rates are 0 to 1, over all questions whose evidence is in the file; times are ms without the
 * embedding of the question.
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
  const questions = dialogues.reduce((sum, dialogue) => sum + dialogue.questions.length, 0)
  say(`${dialogues.length} dialogues, ${turns.length} turns, ${questions} questions`)

  const models = await openModels()
  try {
    const { embedder } = models
    const index = await fill(dialogues, embedder)
    const asked = dialogues.flatMap((dialogue) => dialogue.questions.map(({ text }) => text))
    const vectors = (await embedder?.embed(asked)) ?? []
    const vectorOf = new Map(asked.map((text, i) => [text, vectors[i] ?? null]))
    const times: number[] = []
    const loom: Ranker = (text, namespace) => {
      const from = performance.now()
      const outcome = index.search({
        org: 'bench',
        namespaces: [namespace],
        text,
        vector: vectorOf.get(text) ?? null,
        mode: 'hybrid',
        accept: () => true,
        limit: 10,
        keyMatch: true,
      })
      times.push(performance.now() - from)
      return outcome.hits.map(({ memoryId }) => memoryId.slice(namespace.length + 1))
    }
    const floors = new Map([[POOL, plainBm25(turns)], ...dialogues.map(({ name, turns }) => [name, plainBm25(turns)] as const)])
    const floor: Ranker = (text, scope) => floors.get(scope)?.(text) ?? []

    const both = (some: readonly Dialogue[], scopeOf: (dialogue: Dialogue) => string): Record<string, unknown> => ({
      questions: some.reduce((sum, dialogue) => sum + dialogue.questions.length, 0),
      ...ask(some, loom, scopeOf),
      bm25: ask(some, floor, scopeOf),
    })
    const perDialogue = both(dialogues, ({ name }) => name)
    const pooled = both(dialogues, () => POOL)
    const each = Object.fromEntries(dialogues.map((dialogue) => [dialogue.name, both([dialogue], ({ name }) => name)]))
    times.sort((a, b) => a - b)
    return {
      ...perDialogue,
      per_dialogue: perDialogue,
      pooled,
      dialogues: each,
      turns: turns.length,
      embedder: embedder?.id ?? '',
      degraded: embedder === null ? ['embedder'] : [],
      search_ms: { p50: times[times.length >> 1] ?? 0, p95: times[Math.floor(times.length * 0.95)] ?? 0 },
    }
  } finally {
    await models.close()
  }
}
