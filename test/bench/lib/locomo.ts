import { readFile } from 'node:fs/promises'
import { stemmer } from 'stemmer'

/** One turn of a dialogue; `id` is unique over all dialogues of the file. */
export interface Turn {
  readonly id: string
  readonly session: string
  readonly speaker: string
  readonly text: string
  readonly date: string
  readonly at: number
}

export interface Question {
  readonly text: string
  readonly evidence: ReadonlySet<string>
  /** Whether it has a word (stem) in common with what is said in any turn of its evidence. */
  readonly sharesWords: boolean
}

export interface Dialogue {
  readonly name: string
  readonly turns: readonly Turn[]
  readonly questions: readonly Question[]
}

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

const STOP = new Set(
  'a an the of to in on at for and or is are was were be been do does did has have had with by from that this it its as i you he she they we his her their our my your what when where who how why which would could should'.split(
    ' ',
  ),
)

/** Words as they are, without function words. */
const wordsOf = (text: string): string[] => (text.toLowerCase().match(/[a-z0-9]+(?:'[a-z]+)?/g) ?? []).filter((word) => !STOP.has(word))

const stemsOf = (text: string): Set<string> => new Set(wordsOf(text).map(stemmer))

/** Reads a LoCoMo-shaped file: turns of all sessions, and the questions whose evidence is among them. */
export async function readDialogues(file: string): Promise<Dialogue[]> {
  const samples = JSON.parse(await readFile(file, 'utf8')) as readonly LocomoDialogue[]
  return samples.map(({ sample_id, conversation, qa }, number) => {
    const name = sample_id ?? `dialogue-${number + 1}`
    const turns = Object.entries(conversation).flatMap(([session, said]): Turn[] => {
      if (!/^session_\d+$/.test(session) || !Array.isArray(said)) return []
      const saidAt = conversation[`${session}_date_time`]
      const date = typeof saidAt === 'string' ? saidAt : ''
      return (said as { dia_id: string; speaker: string; text?: string }[]).map((turn) => ({
        id: `${name} ${turn.dia_id}`,
        session,
        speaker: turn.speaker,
        text: turn.text ?? '',
        date,
        at: instantOf(date),
      }))
    })
    const known = new Map(turns.map(({ id, text }) => [id, stemsOf(text)]))
    const questions = qa
      .map(({ question, evidence: names = [] }) => {
        const named = names.flatMap((text) => [...text.matchAll(/D\d+:\d+/g)].map(([id]) => `${name} ${id}`))
        const evidence = new Set(named.filter((id) => known.has(id)))
        const stems = stemsOf(question)
        const sharesWords = [...evidence].some((id) => [...(known.get(id) ?? [])].some((stem) => stems.has(stem)))
        return { text: question, evidence, sharesWords }
      })
      .filter(({ evidence }) => evidence.size > 0)
    return { name, turns, questions }
  })
}

/** Plain BM25 (k1 1.2, b 0.75) over date, speaker and text, words as they are: the floor of every figure. */
export function plainBm25(turns: readonly Turn[]): (question: string) => readonly string[] {
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
