import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Embedder } from '../../../shared/engine/ports.ts'
import { testModels } from '../../helpers/models.ts'

interface Reference {
  readonly text: string
  readonly vector: readonly number[]
}

let embedder: Embedder
let references: Reference[]

beforeAll(async () => {
  const models = await testModels()
  expect(models.state).toBe('ready')
  embedder = models.embedder!
  references = JSON.parse(await readFile(new URL('../../data/models/reference-vectors.json', import.meta.url), 'utf8'))
})

describe('fidelity', () => {
  test('the model is named and measured', () => {
    expect(embedder).toMatchObject({ id: 'all-MiniLM-L6-v2', dim: 384, maxTokens: 256 })
  })

  test('vectors are within .001 cosine of the full weights computed in plain JavaScript', async () => {
    for (const { text, vector } of references) {
      expect(cosine(await embed(text), vector), text).toBeGreaterThan(0.999)
    }
  })

  test("the model's published example has its published values", async () => {
    const vector = await embed('This is an example sentence')
    for (const [i, value] of [0.06766, 0.0635, 0.04871].entries()) expect(Math.abs(vector[i]! - value)).toBeLessThan(0.001)
  })
})

describe('one text, one vector', () => {
  test('a text has the same vector alone, among others and after them', async () => {
    const [{ text }] = references as [Reference]
    const alone = await embed(text)
    const among = await embedder.embed(['x', text, 'A far longer text that says something else altogether, at length.'])
    const after = await embedder.embed(Array.from({ length: 10 }, (_, i) => `filler ${i}`).concat(text))
    expect(among[1]).toEqual(alone)
    expect(after[10]).toEqual(alone)
  })

  test('calls made at once get their own vectors, in order', async () => {
    const texts = references.map(({ text }) => text)
    const apart = await Promise.all(texts.map(embed))
    expect(await embedder.embed(texts)).toEqual(apart)
  })

  test('no texts give no vectors', async () => {
    expect(await embedder.embed([])).toEqual([])
  })

  test('pieces past the limit do not count, and those before it do', async () => {
    const words = Array.from({ length: 254 }, () => 'day')
    const full = await embed(words.join(' '))
    expect(await embed([...words, 'night', 'night'].join(' '))).toEqual(full)
    expect(await embed(['night', ...words.slice(1)].join(' '))).not.toEqual(full)
  })
})

describe('any text', () => {
  const odd: Record<string, string> = {
    empty: '',
    blank: ' \n\t ',
    japanese: '東京のオフィスは月曜日に開きます',
    emoji: '👩‍👩‍👧‍👦🏳️‍🌈'.repeat(20),
    'null bytes': 'deploys\u0000on\u0000Tuesday',
    'lone surrogates': 'a\ud800b\udfffc',
    'private use': '\ue000\ue001 value \uf8ff',
    'one word of 40 kB': 'a'.repeat(40_000),
    '40 kB': 'We deploy on Tuesdays, and never on Fridays. '.repeat(900),
    '4 MB': 'word '.repeat(800_000),
    'special pieces': '[CLS] [SEP] [PAD] [MASK] [UNK]',
    'right to left': 'المكتب مفتوح يوم الاثنين',
  }
  test.each(Object.keys(odd))('%s gives a unit vector', async (name) => {
    const vector = await embed(odd[name]!)
    expect(vector).toHaveLength(384)
    expect(Math.abs(Math.hypot(...vector) - 1)).toBeLessThan(1e-4)
  })
})

test('a query does not wait for a bulk load', async () => {
  const models = await testModels()
  const order: string[] = []
  const bulk = embedder.embed(Array.from({ length: 200 }, (_, i) => `bulk text number ${i}`)).then(() => order.push('bulk'))
  expect(models.queue).toBe(200)
  await embedder.embed(['when do we deploy']).then(() => order.push('query'))
  await bulk
  expect(order).toEqual(['query', 'bulk'])
  expect(models.queue).toBe(0)
})

async function embed(text: string): Promise<Float32Array> {
  return (await embedder.embed([text]))[0]!
}

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [dot, left, right] = [0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    dot += a[i]! * b[i]!
    left += a[i]! ** 2
    right += b[i]! ** 2
  }
  return dot / Math.sqrt(left * right)
}
