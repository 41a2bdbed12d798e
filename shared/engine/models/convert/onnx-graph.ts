import { type Chunks, floatField, intField, messageField, textField } from './protobuf.ts'

/** Typed arrays an ONNX tensor can hold here. */
export type TensorData = Float32Array | Uint8Array | Int8Array | BigInt64Array

/** ONNX element types by their number in TensorProto.DataType. */
export const ElementType = { float: 1, uint8: 2, int8: 3, int32: 6, int64: 7 } as const

/** An attribute of a node: whole numbers and floats are different types in ONNX. */
export type Attribute = { readonly int: number } | { readonly float: number }

/** Name, element type and shape of an input or output; a text is a dimension left open. */
export interface ValueInfo {
  readonly name: string
  readonly type: number
  readonly shape: readonly (number | string)[]
}

/** Operators of ONNX Runtime's own, for the fused attention and quantised products. */
export const RUNTIME_DOMAIN = 'com.microsoft'

const IR_VERSION = 8
const ONNX_OPSET = 17
const RUNTIME_OPSET = 1
const ATTRIBUTE_FLOAT = 1
const ATTRIBUTE_INT = 2

/** A graph under construction. */
export interface OnnxGraph {
  /** Adds constant data and returns its name. */
  tensor(name: string, shape: readonly number[], data: TensorData): string
  /** Adds an operation and returns the name of its first output. An empty input name leaves that input out. */
  node(operator: string, inputs: readonly string[], outputs: readonly string[], options?: NodeOptions): string
  /** The whole ONNX file. */
  finish(inputs: readonly ValueInfo[], outputs: readonly ValueInfo[]): Chunks
}

export interface NodeOptions {
  readonly attributes?: Readonly<Record<string, Attribute>>
  readonly domain?: string
}

/** Starts an empty graph. */
export function createOnnxGraph(name: string): OnnxGraph {
  const nodes: Uint8Array[] = []
  const tensors: Uint8Array[] = []
  return {
    tensor(tensorName, shape, data) {
      tensors.push(...messageField(5, tensorMessage(tensorName, shape, data)))
      return tensorName
    },
    node(operator, inputs, outputs, options = {}) {
      nodes.push(...messageField(1, nodeMessage(operator, inputs, outputs, options)))
      return outputs[0] ?? ''
    },
    finish(inputs, outputs) {
      const graph = [
        ...nodes,
        ...textField(2, name),
        ...tensors,
        ...inputs.flatMap((value) => messageField(11, valueInfoMessage(value))),
        ...outputs.flatMap((value) => messageField(12, valueInfoMessage(value))),
      ]
      return [
        ...intField(1, IR_VERSION),
        ...textField(2, 'loom'),
        ...messageField(7, graph),
        ...messageField(8, [...textField(1, ''), ...intField(2, ONNX_OPSET)]),
        ...messageField(8, [...textField(1, RUNTIME_DOMAIN), ...intField(2, RUNTIME_OPSET)]),
      ]
    },
  }
}

function tensorMessage(name: string, shape: readonly number[], data: TensorData): Chunks {
  const raw = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  return [
    ...shape.flatMap((size) => intField(1, size)),
    ...intField(2, elementType(data)),
    ...textField(8, name),
    ...messageField(9, [raw]),
  ]
}

function elementType(data: TensorData): number {
  if (data instanceof Float32Array) return ElementType.float
  if (data instanceof Uint8Array) return ElementType.uint8
  return data instanceof Int8Array ? ElementType.int8 : ElementType.int64
}

function nodeMessage(operator: string, inputs: readonly string[], outputs: readonly string[], options: NodeOptions): Chunks {
  const attributes = Object.entries(options.attributes ?? {})
  return [
    ...inputs.flatMap((input) => textField(1, input)),
    ...outputs.flatMap((output) => textField(2, output)),
    ...textField(3, outputs[0] ?? operator),
    ...textField(4, operator),
    ...attributes.flatMap(([key, value]) => messageField(5, attributeMessage(key, value))),
    ...(options.domain === undefined ? [] : textField(7, options.domain)),
  ]
}

function attributeMessage(name: string, value: Attribute): Chunks {
  return 'int' in value
    ? [...textField(1, name), ...intField(3, value.int), ...intField(20, ATTRIBUTE_INT)]
    : [...textField(1, name), ...floatField(2, value.float), ...intField(20, ATTRIBUTE_FLOAT)]
}

function valueInfoMessage(value: ValueInfo): Chunks {
  const dimensions = value.shape.flatMap((size) => messageField(1, typeof size === 'string' ? textField(2, size) : intField(1, size)))
  const tensorType = [...intField(1, value.type), ...messageField(2, dimensions)]
  return [...textField(1, value.name), ...messageField(2, messageField(1, tensorType))]
}
