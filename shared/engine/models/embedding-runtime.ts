import type { Tensor } from '@huggingface/transformers'
import type { EmbeddingSource, Pooling } from './embedding-source.ts'
import { centreOf, fromCentre } from './centre.ts'
import { loadOnnxModel, type OnnxModel } from './onnx-model.ts'

/** A loaded embedding model, in the thread that computes. */
export interface EmbeddingRuntime {
  readonly id: string
  readonly dim: number
  readonly maxTokens: number
  /** The unit vector of one text. */
  embed(text: string): Promise<Float32Array>
  dispose(): Promise<void>
}

/** No word of the tokenizers in use is longer, so a longer text has more pieces than fit whatever it says. */
const CHARACTERS_PER_PIECE = 128

/** Loads an embedding model and embeds one text, which shows its length and that it works. Throws when it does not. */
export async function loadEmbeddingRuntime(source: EmbeddingSource, threads: number): Promise<EmbeddingRuntime> {
  const model = await loadOnnxModel(source.folder, source.model, 'embedding', threads)
  const plain = async (text: string) => normalise(await embedText(model, source, text))
  const centre = source.isCentred ? await centreOf(plain) : null
  const embed = async (text: string) => (centre ? normalise(fromCentre(await plain(text), centre)) : plain(text))
  const probe = await embed('A text to see that the model works.')
  return { id: source.id, dim: probe.length, maxTokens: source.maxTokens, embed, dispose: () => model.dispose() }
}

async function embedText(model: OnnxModel, source: EmbeddingSource, text: string): Promise<Float32Array> {
  const { tokenizer } = model
  const encoded = tokenizer(text.slice(0, source.maxTokens * CHARACTERS_PER_PIECE), { return_tensor: false })
  const ids = cutPieces(encoded.input_ids, source.maxTokens, tokenizer.all_special_ids)
  const types = encoded.token_type_ids?.slice(0, ids.length) ?? null
  const output = await model.run([ids], types === null ? null : [types])
  const hidden = output['last_hidden_state'] ?? output['token_embeddings'] ?? output['sentence_embedding']
  if (hidden === undefined) throw new Error(`Model ${source.id} gives ${Object.keys(output).join(', ')}, no vectors.`)
  const vector = pool(hidden, source.pooling)
  if (!vector.every(Number.isFinite)) throw new Error(`Model ${source.id} gave a vector that is not finite.`)
  return vector
}

/** Cuts to the model's length and keeps the piece that ends every text. */
function cutPieces(ids: number[], limit: number, special: readonly number[]): number[] {
  const last = ids.at(-1)
  if (ids.length <= limit || last === undefined) return ids
  return special.includes(last) ? [...ids.slice(0, limit - 1), last] : ids.slice(0, limit)
}

function pool(output: Tensor, pooling: Pooling): Float32Array {
  const tensor = output.type === 'float32' ? output : output.to('float32')
  const data = tensor.data as Float32Array
  const width = tensor.dims.at(-1) ?? 0
  if (tensor.dims.length === 2 || pooling === 'cls') return data.slice(0, width)
  const sum = new Float32Array(width)
  for (let i = 0; i < data.length; i += width) {
    for (let j = 0; j < width; j++) sum[j] = sum[j]! + data[i + j]!
  }
  return sum
}

function normalise(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((total, value) => total + value * value, 0))
  return vector.map((value) => value / length)
}
