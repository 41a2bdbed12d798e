import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, isAbsolute, join, resolve } from 'node:path'
import { hashFile } from './cached-folder.ts'
import { fetchHubModel, isHubName } from './hub-model.ts'
import type { LoadReport } from './load-report.ts'
import { DEFAULT_MAX_TOKENS, prepareMiniLm } from './minilm.ts'
import { DEFAULT_EMBEDDING_MODEL } from './model-names.ts'

/** How the vectors of the pieces become the vector of the text. */
export type Pooling = 'mean' | 'cls'

/** An embedding model on this disk, ready to be loaded. */
export interface EmbeddingSource {
  /** Name stored beside its vectors; of a local folder it changes with the weights, and it tells whether they are centred. */
  readonly id: string
  readonly folder: string
  readonly model: ModelFile
  readonly maxTokens: number
  readonly pooling: Pooling
  /** Whether what all its vectors have in common is taken from them: a model that was not seen has its cosines wherever it likes. */
  readonly isCentred: boolean
}

/** An ONNX file in the terms of transformers.js. */
export interface ModelFile {
  readonly path: string
  readonly subfolder: string
  readonly dtype: 'q8' | 'int8' | 'fp32' | 'fp16'
}

export interface EmbeddingChoice {
  /** `all-MiniLM-L6-v2`, the path of a folder, or `owner/model`. */
  readonly name: string
  readonly cacheDir: string
  readonly hub: string
}

const MAX_TOKENS_OF_OTHERS = 512
const FILE_NAMES = [
  ['model_quantized.onnx', 'q8'],
  ['model_int8.onnx', 'int8'],
  ['model.onnx', 'fp32'],
  ['model_fp16.onnx', 'fp16'],
] as const

/** Finds, converts or fetches the model that was chosen. Throws an Error that says what is wrong with the choice. */
export async function findEmbeddingModel(choice: EmbeddingChoice, report: LoadReport): Promise<EmbeddingSource> {
  const { name, cacheDir } = choice
  if (name === DEFAULT_EMBEDDING_MODEL) {
    const folder = await prepareMiniLm(cacheDir, report)
    return { id: name, folder, model: modelFileIn(folder), maxTokens: DEFAULT_MAX_TOKENS, pooling: 'mean', isCentred: false }
  }
  if (await isFolder(name)) {
    const folder = resolve(name)
    const model = modelFileIn(folder)
    const hash = await hashFile(model.path)
    return { id: centred(`${basename(folder)}@${hash.slice(0, 12)}`), folder, model, isCentred: true, ...(await settingsOf(folder)) }
  }
  if (isAbsolute(name) || !isHubName(name)) {
    throw new Error(
      `The embedding model "${name}" is no folder here; name a folder, "${DEFAULT_EMBEDDING_MODEL}", or a hub's "owner/model".`,
    )
  }
  const folder = await fetchHubModel(cacheDir, choice.hub, name, report)
  return { id: centred(name), folder, model: modelFileIn(folder), isCentred: true, ...(await settingsOf(folder)) }
}

const centred = (id: string): string => `${id}+centred`

/** The first ONNX file of a model's folder, quantised before full. Throws an Error when there is none. */
export function modelFileIn(folder: string): ModelFile {
  for (const subfolder of ['onnx', '']) {
    for (const [file, dtype] of FILE_NAMES) {
      const path = join(folder, subfolder, file)
      if (existsSync(path)) return { path, subfolder, dtype }
    }
  }
  throw new Error(`${folder} holds no ONNX model (looked for ${FILE_NAMES.map(([file]) => `onnx/${file}`).join(', ')}).`)
}

async function settingsOf(folder: string): Promise<{ maxTokens: number; pooling: Pooling }> {
  const [model, tokenizer, sentence, pooling] = await Promise.all(
    ['config.json', 'tokenizer_config.json', 'sentence_bert_config.json', '1_Pooling/config.json'].map((file) =>
      readJson(join(folder, file)),
    ),
  )
  const limits = [model?.max_position_embeddings, tokenizer?.model_max_length, sentence?.max_seq_length]
  const known = limits.filter((limit) => typeof limit === 'number' && limit > 0) as number[]
  return {
    maxTokens: Math.min(MAX_TOKENS_OF_OTHERS, ...known),
    pooling: pooling?.pooling_mode_cls_token === true ? 'cls' : 'mean',
  }
}

async function readJson(path: string): Promise<Record<string, unknown> | null> {
  const text = await readFile(path, 'utf8').catch(() => null)
  return text === null ? null : (JSON.parse(text) as Record<string, unknown>)
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false
}
