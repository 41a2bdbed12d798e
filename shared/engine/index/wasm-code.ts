/** Puts a WebAssembly module of one function together, instruction by instruction, so that no binary stands in the source. */

/** What is used of WebAssembly, whose types come with those of a browser alone. */
interface Wasm {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: object }
  readonly Memory: new (size: { readonly initial: number }) => WasmMemory
}

type Run = (...params: number[]) => number

export interface WasmMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

export const I32 = 0x7f
export const F32 = 0x7d
export const V128 = 0x7b
export const SIMD = 0xfd

export function leb(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  do {
    const more = rest > 0x7f
    bytes.push((rest & 0x7f) | (more ? 0x80 : 0))
    rest >>>= 7
  } while (rest > 0)
  return bytes
}

/** A signed constant that is not negative: its sign bit must be clear. */
export function constant(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x3f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return [0x41, ...bytes, rest]
}

const sized = (content: readonly number[]): number[] => [...leb(content.length), ...content]
const section = (id: number, content: readonly number[]): number[] => [id, ...sized(content)]
const name = (text: string): number[] => sized([...text].map((letter) => letter.charCodeAt(0)))
export const get = (local: number): number[] => [0x20, ...leb(local)]
export const set = (local: number): number[] => [0x21, ...leb(local)]
/** v128.load: sixteen bytes. */
export const load = (offset: number): number[] => [SIMD, 0x00, 4, ...leb(offset)]

/** A module that works in the memory it is given and exports one function, `run`. */
export function moduleOf(params: readonly number[], result: number, body: readonly number[]): Uint8Array {
  const header = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
  return Uint8Array.from([
    ...header,
    ...section(1, [1, 0x60, ...sized(params), 1, result]),
    ...section(2, [1, ...name('m'), ...name('m'), 2, 0, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name('run'), 0, 0]),
    ...section(10, [1, ...sized(body)]),
  ])
}

const modules = new Map<string, object>()

/** The function over a memory of its own of one page, or null where this processor has no such instructions. */
export function instantiate(id: string, bytes: () => Uint8Array): { readonly memory: WasmMemory; readonly run: Run } | null {
  const { WebAssembly } = globalThis as unknown as { readonly WebAssembly?: Wasm }
  if (WebAssembly === undefined) return null
  try {
    const module = modules.get(id) ?? new WebAssembly.Module(bytes())
    modules.set(id, module)
    const memory = new WebAssembly.Memory({ initial: 1 })
    const { exports } = new WebAssembly.Instance(module, { m: { m: memory } })
    return { memory, run: (exports as { run: Run }).run }
  } catch {
    // Without the instructions, or without room for another memory.
    return null
  }
}
