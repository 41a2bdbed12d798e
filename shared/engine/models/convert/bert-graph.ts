import { stackRows, transpose } from './matrix.ts'
import { createOnnxGraph, ElementType, type OnnxGraph, RUNTIME_DOMAIN } from './onnx-graph.ts'
import type { Chunks } from './protobuf.ts'
import { quantiseBlocks, quantiseRows } from './quantise.ts'
import type { Weights } from './safetensors.ts'

/** What of a BERT config.json shapes the graph. */
export interface BertConfig {
  readonly hidden_size: number
  readonly num_attention_heads: number
  readonly num_hidden_layers: number
  readonly layer_norm_eps: number
}

const INPUTS = ['input_ids', 'attention_mask', 'token_type_ids']
const OUTPUT = 'last_hidden_state'
/** The smallest blocks the runtime multiplies: as fast as larger ones, and twice as near to the full weights. */
const BLOCK = 16
/** The runtime's accuracy level that rounds activations to 8 bits as well, block by block. */
const INT8_ACTIVATIONS = 4

/**
 * A BERT encoder in ONNX, in ONNX Runtime's fused operators. Weights are int8 in blocks, which keeps vectors within
 * .0005 cosine of the full weights, where one scale per column leaves .01; the attention's inputs, to which most of
 * the rest was due, stay float. Inputs are int64 [batch, tokens], the output is float32 [batch, tokens, hidden_size].
 * `onLayer` is told the share done, 0 to 1.
 */
export function buildBertGraph(weights: Weights, config: BertConfig, onLayer: (done: number) => void): Chunks {
  const prefix = weights.names.some((name) => name.startsWith('bert.')) ? 'bert.' : ''
  const source: Weights = { names: weights.names, read: (name) => weights.read(prefix + name) }
  const graph = createOnnxGraph('bert')
  let hidden = addEmbeddings(graph, source, config)
  onLayer(1 / (config.num_hidden_layers + 1))
  graph.node('Cast', ['attention_mask'], ['mask'], { attributes: { to: { int: ElementType.int32 } } })
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    const output = layer === config.num_hidden_layers - 1 ? OUTPUT : `layer${layer}`
    hidden = addLayer(graph, source, config, layer, hidden, output)
    onLayer((layer + 2) / (config.num_hidden_layers + 1))
  }
  const shape = ['batch', 'tokens']
  return graph.finish(
    INPUTS.map((name) => ({ name, type: ElementType.int64, shape })),
    [{ name: OUTPUT, type: ElementType.float, shape: [...shape, config.hidden_size] }],
  )
}

function addEmbeddings(graph: OnnxGraph, weights: Weights, config: BertConfig): string {
  const words = quantiseRows(weights.read('embeddings.word_embeddings.weight'))
  graph.tensor('words', words.shape, words.values)
  graph.tensor('words_scale', [words.shape[0], 1], words.scales)
  const row = { attributes: { axis: { int: 0 } } }
  graph.node('Gather', ['words', 'input_ids'], ['word_int8'], row)
  graph.node('Gather', ['words_scale', 'input_ids'], ['word_scale'], row)
  graph.node('Cast', ['word_int8'], ['word_float'], { attributes: { to: { int: ElementType.float } } })
  graph.node('Mul', ['word_float', 'word_scale'], ['word'])

  graph.tensor('zero', [], new BigInt64Array([0n]))
  graph.tensor('one', [], new BigInt64Array([1n]))
  graph.node('Shape', ['input_ids'], ['input_shape'])
  graph.node('Gather', ['input_shape', 'one'], ['token_count'], row)
  graph.node('Range', ['zero', 'token_count', 'one'], ['places'])
  addFloats(graph, weights, 'positions', 'embeddings.position_embeddings.weight')
  addFloats(graph, weights, 'types', 'embeddings.token_type_embeddings.weight')
  graph.node('Gather', ['positions', 'places'], ['position'], row)
  graph.node('Gather', ['types', 'token_type_ids'], ['type'], row)

  graph.node('Add', ['word', 'type'], ['word_type'])
  graph.node('Add', ['word_type', 'position'], ['embedded'])
  const scale = addFloats(graph, weights, 'embedded_norm', 'embeddings.LayerNorm.weight')
  const shift = addFloats(graph, weights, 'embedded_shift', 'embeddings.LayerNorm.bias')
  return graph.node('LayerNormalization', ['embedded', scale, shift], ['embedded_out'], {
    attributes: { axis: { int: -1 }, epsilon: { float: config.layer_norm_eps } },
  })
}

function addLayer(graph: OnnxGraph, weights: Weights, config: BertConfig, layer: number, input: string, output: string): string {
  const source = `encoder.layer.${layer}.`
  const name = `l${layer}_`
  const attended = addAttention(graph, weights, config, source, name, input)
  const projected = addInt8Linear(graph, weights, `${source}attention.output.dense`, `${name}projected`, attended)
  const middle = addNorm(graph, weights, config, `${source}attention.output.LayerNorm`, [projected, input], `${name}middle`)
  const widened = addFloatLinear(graph, weights, `${source}intermediate.dense`, `${name}widened`, middle)
  const active = graph.node('Gelu', [widened], [`${name}active`], { domain: RUNTIME_DOMAIN })
  const narrowed = addInt8Linear(graph, weights, `${source}output.dense`, `${name}narrowed`, active)
  return addNorm(graph, weights, config, `${source}output.LayerNorm`, [narrowed, middle], output)
}

function addAttention(graph: OnnxGraph, weights: Weights, config: BertConfig, source: string, name: string, input: string): string {
  const parts = ['query', 'key', 'value'].map((part) => `${source}attention.self.${part}`)
  const matrix = transpose(stackRows(parts.map((part) => weights.read(`${part}.weight`))))
  const bias = stackRows(parts.map((part) => weights.read(`${part}.bias`)))
  const product = graph.tensor(`${name}qkv`, matrix.shape, matrix.data)
  const shift = graph.tensor(`${name}qkv_bias`, bias.shape, bias.data)
  return graph.node('Attention', [input, product, shift, 'mask'], [`${name}attended`], {
    attributes: { num_heads: { int: config.num_attention_heads } },
    domain: RUNTIME_DOMAIN,
  })
}

function addFloatLinear(graph: OnnxGraph, weights: Weights, source: string, output: string, input: string): string {
  const matrix = transpose(weights.read(`${source}.weight`))
  const product = graph.tensor(`${output}_w`, matrix.shape, matrix.data)
  const bias = addFloats(graph, weights, `${output}_bias`, `${source}.bias`)
  graph.node('MatMul', [input, product], [`${output}_product`])
  return graph.node('Add', [`${output}_product`, bias], [output])
}

function addInt8Linear(graph: OnnxGraph, weights: Weights, source: string, output: string, input: string): string {
  const { values, scales, shape, blocks } = quantiseBlocks(weights.read(`${source}.weight`), BLOCK)
  const [rows, columns] = shape
  const product = graph.tensor(`${output}_w`, [rows, blocks, BLOCK], values)
  const scale = graph.tensor(`${output}_scale`, [rows, blocks], scales)
  const bias = addFloats(graph, weights, `${output}_bias`, `${source}.bias`)
  return graph.node('MatMulNBits', [input, product, scale, '', '', bias], [output], {
    attributes: {
      K: { int: columns },
      N: { int: rows },
      bits: { int: 8 },
      block_size: { int: BLOCK },
      accuracy_level: { int: INT8_ACTIVATIONS },
    },
    domain: RUNTIME_DOMAIN,
  })
}

function addNorm(
  graph: OnnxGraph,
  weights: Weights,
  config: BertConfig,
  source: string,
  [input, skipped]: readonly [string, string],
  output: string,
): string {
  const scale = addFloats(graph, weights, `${output}_norm`, `${source}.weight`)
  const shift = addFloats(graph, weights, `${output}_shift`, `${source}.bias`)
  return graph.node('SkipLayerNormalization', [input, skipped, scale, shift], [output], {
    attributes: { epsilon: { float: config.layer_norm_eps } },
    domain: RUNTIME_DOMAIN,
  })
}

function addFloats(graph: OnnxGraph, weights: Weights, name: string, source: string): string {
  const { shape, data } = weights.read(source)
  return graph.tensor(name, shape, data)
}
