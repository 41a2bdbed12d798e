import type { PreTrainedTokenizer } from '@huggingface/transformers'
import { normaliseValues } from '../../domain/judge/values.ts'
import type { Relation } from '../ports.ts'
import { modelFileIn } from './embedding-source.ts'
import { loadOnnxModel } from './onnx-model.ts'

/** The loaded relation model, in the thread that computes. */
export interface RelationRuntime {
  readonly id: string
  /** How claim `a` stands to claim `b`: the mean of reading them in both orders. */
  relate(a: string, b: string): Promise<Relation>
  dispose(): Promise<void>
}

/** Name of the weights in `weights/relation`; to be changed with them. */
const RELATION_MODEL_ID = 'loom-relation-2'

/** Chosen with the weights: at this temperature the probabilities are calibrated. */
const TEMPERATURE = 0.9
const MAX_PIECES = 256
const SPECIAL_PIECES = 3
/** A claim this long fills the model whatever it says; the values of the rest need no spelling. */
const MAX_CHARACTERS = 8192
const VERDICTS = ['duplicate', 'refines', 'conflict', 'clear'] as const

/** Loads the relation model from its folder and relates one pair, to see that it works. Throws when it does not. */
export async function loadRelationRuntime(folder: string, threads: number): Promise<RelationRuntime> {
  const model = await loadOnnxModel(folder, modelFileIn(folder), 'classification', threads)
  const { tokenizer } = model
  const [start, end] = tokenizer.convert_tokens_to_ids(['[CLS]', '[SEP]']) as [number, number]

  const relate = async (a: string, b: string): Promise<Relation> => {
    const [left, right] = fitPair(pieces(tokenizer, a), pieces(tokenizer, b), MAX_PIECES - SPECIAL_PIECES)
    const row = (first: number[], second: number[]) => [start, ...first, end, ...second, end]
    const segments = (first: number[], second: number[]) => [
      ...new Array<number>(first.length + 2).fill(0),
      ...new Array<number>(second.length + 1).fill(1),
    ]
    // Both orders have the same pieces, so the rows are of one length and nothing is padded.
    const output = await model.run([row(left, right), row(right, left)], [segments(left, right), segments(right, left)])
    const logits = output['logits']?.data as Float32Array | undefined
    if (logits?.length !== 2 * VERDICTS.length) throw new Error('The relation model does not give four logits a pair.')
    return meanRelation(softmax(logits.slice(0, VERDICTS.length)), softmax(logits.slice(VERDICTS.length)))
  }

  await relate('The office opens at nine.', 'The office opens at ten.')
  return { id: RELATION_MODEL_ID, relate, dispose: () => model.dispose() }
}

function pieces(tokenizer: PreTrainedTokenizer, text: string): number[] {
  const claim = normaliseValues(text.slice(0, MAX_CHARACTERS))
  return tokenizer(claim, { add_special_tokens: false, return_tensor: false }).input_ids
}

/** Cuts the longer of the two until both fit. */
function fitPair(a: number[], b: number[], room: number): [number[], number[]] {
  const half = Math.floor(room / 2)
  const forA = Math.min(a.length, Math.max(half, room - b.length))
  return [a.slice(0, forA), b.slice(0, room - forA)]
}

function softmax(logits: Float32Array): number[] {
  const largest = Math.max(...logits)
  const weights = Array.from(logits, (logit) => Math.exp((logit - largest) / TEMPERATURE))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => weight / total)
}

function meanRelation(one: readonly number[], other: readonly number[]): Relation {
  const [duplicate, refines, conflict, clear] = VERDICTS.map((_, i) => (one[i]! + other[i]!) / 2) as [number, number, number, number]
  if (![duplicate, refines, conflict, clear].every(Number.isFinite)) {
    throw new Error('The relation model gave probabilities that are not finite.')
  }
  return { duplicate, refines, conflict, clear }
}
