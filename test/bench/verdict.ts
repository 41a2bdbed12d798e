import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { claimText } from '../../shared/domain/claim/claim-text.ts'
import { indexedText } from '../../shared/domain/claim/excerpt.ts'
import type { Json } from '../../shared/domain/claim/json.ts'
import { analyse } from '../../shared/domain/judge/analyse.ts'
import { judge, type Finding, type Relation } from '../../shared/domain/judge/judge.ts'
import { wordOverlap } from '../../shared/domain/judge/overlap.ts'
import type { Models } from '../../shared/engine/ports.ts'
import { openModels } from '../helpers/models.ts'

type Verdict = 'merge' | 'duplicate' | 'refines' | 'conflict' | 'clear'

interface Claim {
  readonly key: string
  readonly text: string
}

/** A labelled pair: of verdicts, with those that are accepted, or of natural language inference. */
interface Pair {
  readonly a: Claim
  readonly b: Claim
  readonly label: string
  readonly accept: readonly string[]
}

/** What a judge said of a pair, and how sure it was. */
interface Answer {
  readonly verdict: Verdict
  readonly confidence: number
}

const VERDICTS: readonly Verdict[] = ['merge', 'duplicate', 'refines', 'conflict', 'clear']
const INFERENCE_LABELS = ['entailment', 'neutral', 'contradiction']
const VERDICT_OF: Readonly<Record<Finding, Verdict>> = {
  same: 'merge',
  restates: 'duplicate',
  refines: 'refines',
  contradicts: 'conflict',
  clear: 'clear',
}
const OWN_SETS = ['dev', 'dev2', 'dev3', 'dev4', 'dev5'].map((name) => join(import.meta.dirname, `../data/verdict/${name}.jsonl`))
/** Pairs to a call of the relation model, few enough to count as somebody waiting. */
const CALL = 8

function claimOf(side: unknown): Claim {
  if (side !== null && typeof side === 'object' && 'value' in side) {
    const key = 'key' in side ? side.key : ''
    return { key: typeof key === 'string' ? key : '', text: claimText(side.value as Json) }
  }
  if (typeof side === 'string') return { key: '', text: side }
  throw new Error('a and b are a text or {key, value}')
}

function pairOf(line: string, where: string): Pair {
  try {
    const { a, b, label, accept } = JSON.parse(line) as { a: unknown; b: unknown; label: unknown; accept?: unknown }
    if (typeof label !== 'string' || ![...VERDICTS, ...INFERENCE_LABELS].includes(label))
      throw new Error(`unknown label ${JSON.stringify(label)}`)
    return { a: claimOf(a), b: claimOf(b), label, accept: Array.isArray(accept) ? accept.map(String) : [label] }
  } catch (cause) {
    throw new Error(`${where}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

async function readPairs(files: readonly string[]): Promise<Pair[]> {
  const pairs: Pair[] = []
  for (const file of files) {
    const lines = (await readFile(file, 'utf8')).split('\n')
    lines.forEach((line, i) => {
      if (line.trim()) pairs.push(pairOf(line, `${basename(file)}:${i + 1}`))
    })
  }
  if (pairs.length === 0) throw new Error('there are no pairs in the file')
  return pairs
}

/** Vectors of the indexed texts, as search and the engine have them; none without an embedder. */
async function vectorsOf(pairs: readonly Pair[], models: Models): Promise<ReadonlyMap<string, Float32Array>> {
  const { embedder } = models
  const vectors = new Map<string, Float32Array>()
  if (!embedder) return vectors
  const texts = [...new Set(pairs.flatMap(({ a, b }) => [a, b].map(indexed)))]
  for (let i = 0; i < texts.length; i += 64) {
    const chunk = texts.slice(i, i + 64)
    const made = await embedder.embed(chunk)
    chunk.forEach((text, k) => vectors.set(text, made[k] as Float32Array))
  }
  return vectors
}

const indexed = (claim: Claim) => (claim.key ? indexedText(claim.text, claim.key) : claim.text)

async function relationsOf(pairs: readonly Pair[], models: Models): Promise<(Relation | null)[]> {
  const { relation } = models
  if (!relation) return pairs.map(() => null)
  const relations: (Relation | null)[] = []
  for (let i = 0; i < pairs.length; i += CALL) {
    const chunk = pairs.slice(i, i + CALL).map(({ a, b }) => ({ a: a.text, b: b.text }))
    relations.push(...(await relation.relate(chunk)))
  }
  return relations
}

function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number {
  if (!a || !b) return 0
  return a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0)
}

/** The judge's answer, from the texts on, as the engine asks for it. */
function answerOf(pair: Pair, near: number, relation: Relation | null): Answer {
  const [a, b] = [analyse(pair.a), analyse(pair.b)]
  const similarity = Math.min(1, Math.max(0, near, wordOverlap(a, b)))
  const { finding, confidence } = judge(a, b, { similarity, relation })
  return { verdict: VERDICT_OF[finding], confidence }
}

/** The canonical form, and the model's likeliest verdict behind it. */
function modelAnswer(rules: Answer, relation: Relation | null): Answer {
  if (rules.verdict === 'merge' || !relation) return rules
  const [verdict, confidence] = Object.entries(relation).reduce((best, next) => (next[1] > best[1] ? next : best))
  return { verdict: verdict as Verdict, confidence }
}

const share = (part: number, whole: number) => (whole ? part / whole : null)

function accuracyOf(pairs: readonly Pair[], answers: readonly Answer[], among = pairs.map((_, i) => i)): number | null {
  const right = among.filter((i) => pairs[i]?.accept.includes(answers[i]?.verdict ?? '')).length
  return share(right, among.length)
}

/** Accuracy of the surest part of the answers, by percent. */
function byConfidence(pairs: readonly Pair[], answers: readonly Answer[]): Record<string, number | null> {
  const surest = pairs.map((_, i) => i).sort((i, k) => (answers[k]?.confidence ?? 0) - (answers[i]?.confidence ?? 0))
  return Object.fromEntries(
    [50, 70, 90].map((percent) => [percent, accuracyOf(pairs, answers, surest.slice(0, Math.round((pairs.length * percent) / 100)))]),
  )
}

function confusionOf(pairs: readonly Pair[], answers: readonly Answer[]): Record<string, Record<string, number>> {
  const confusion = Object.fromEntries(VERDICTS.map((label) => [label, Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0]))]))
  pairs.forEach(({ label }, i) => {
    const row = confusion[label]
    const { verdict } = answers[i] as Answer
    if (row) row[verdict] = (row[verdict] ?? 0) + 1
  })
  return confusion
}

function verdictFigures(pairs: readonly Pair[], answers: readonly Answer[]): Record<string, unknown> {
  const of = (label: string, answered: (verdict: Verdict) => boolean) => {
    const labelled = pairs.flatMap((pair, i) => (pair.label === label ? [answers[i] as Answer] : []))
    return share(labelled.filter(({ verdict }) => answered(verdict)).length, labelled.length)
  }
  return {
    accuracy: accuracyOf(pairs, answers),
    false_merges: pairs.filter((pair, i) => answers[i]?.verdict === 'merge' && !pair.accept.includes('merge')).length,
    merge_recall: of('merge', (verdict) => verdict === 'merge'),
    false_conflict_on_clear: of('clear', (verdict) => verdict === 'conflict'),
    missed_conflict: of('conflict', (verdict) => verdict !== 'conflict'),
    confusion: confusionOf(pairs, answers),
    by_confidence: byConfidence(pairs, answers),
  }
}

function inferenceFigures(pairs: readonly Pair[], answers: readonly Answer[]): Record<string, unknown> {
  const said = pairs.filter((_, i) => answers[i]?.verdict === 'conflict')
  const contradictions = pairs.flatMap((pair, i) => (pair.label === 'contradiction' ? [answers[i] as Answer] : []))
  const found = contradictions.filter(({ verdict }) => verdict === 'conflict').length
  const [precision, recall] = [share(found, said.length), share(found, contradictions.length)]
  return {
    contradiction_precision: precision,
    contradiction_recall: recall,
    contradiction_f1: precision && recall ? (2 * precision * recall) / (precision + recall) : 0,
    contradictions_merged_or_duplicate: share(
      contradictions.filter(({ verdict }) => verdict === 'merge' || verdict === 'duplicate').length,
      contradictions.length,
    ),
  }
}

function printTable(rows: Readonly<Record<string, Record<string, unknown>>>): void {
  const names = Object.keys(Object.values(rows)[0] ?? {}).filter((name) => name !== 'confusion')
  const cell = (value: unknown): string =>
    typeof value === 'number'
      ? String(Number(value.toFixed(3)))
      : value && typeof value === 'object'
        ? Object.values(value).map(cell).join(' / ')
        : '-'
  process.stderr.write(
    `${'judge'.padEnd(36)}${Object.keys(rows)
      .map((row) => row.padEnd(24))
      .join('')}\n`,
  )
  for (const name of names) {
    process.stderr.write(
      `${name.padEnd(36)}${Object.values(rows)
        .map((row) => cell(row[name]).padEnd(24))
        .join('')}\n`,
    )
  }
}

/**
 * Judges labelled pairs with rules and model, with the rules alone and with the model alone, and says how often each is
 * right. Without `data`, our own pairs, which the rules were tuned on and the model was trained on: they show that
 * nothing broke, not how well unseen pairs go.
 */
export async function bench(options: { data?: string; json: boolean }): Promise<Record<string, unknown>> {
  const pairs = await readPairs(options.data === undefined ? OWN_SETS : [options.data])
  const models = await openModels()
  try {
    const vectors = await vectorsOf(pairs, models)
    const near = pairs.map(({ a, b }) => cosine(vectors.get(indexed(a)), vectors.get(indexed(b))))
    const relationStart = performance.now()
    const relations = await relationsOf(pairs, models)
    const relationMs = performance.now() - relationStart
    const judgeStart = performance.now()
    const answers = pairs.map((pair, i) => answerOf(pair, near[i] ?? 0, relations[i] ?? null))
    const judgeMs = performance.now() - judgeStart
    const rules = pairs.map((pair, i) => answerOf(pair, near[i] ?? 0, null))
    const model = rules.map((answer, i) => modelAnswer(answer, relations[i] ?? null))
    const figures = pairs.some(({ label }) => INFERENCE_LABELS.includes(label)) ? inferenceFigures : verdictFigures
    const [both, alone, modelOnly] = [answers, rules, model].map((given) => figures(pairs, given)) as [Answers, Answers, Answers]
    printTable({ 'rules and model': both, 'rules alone': alone, 'model alone': modelOnly })
    return {
      pairs: pairs.length,
      ...both,
      rules_alone: alone,
      model_alone: models.relation ? modelOnly : null,
      ms_per_pair: (relationMs + judgeMs) / pairs.length,
      ms_per_pair_rules: judgeMs / pairs.length,
      degraded: [...(models.embedder ? [] : ['embedder']), ...(models.relation ? [] : ['judge_model'])],
    }
  } finally {
    await models.close()
  }
}

type Answers = Record<string, unknown>
