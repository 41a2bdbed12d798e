import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { deflateRawSync, gzipSync as packed } from 'node:zlib'
import fc from 'fast-check'
import { deflateSync, gzipSync, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { readSource } from '../../../shared/client/importing/importers.ts'
import { readAll, utf8 } from './read.ts'

/** What is left after it is what is held. */
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const mem0 = (id: number): string => JSON.stringify({ id: `m${id}`, memory: `Fact number ${id} of the list.` })

/** A zip of one packed file, by its local header alone. */
function zipOf(name: string, deflated: Uint8Array): Uint8Array {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(20, 4)
  header.writeUInt16LE(8, 8)
  header.writeUInt32LE(deflated.length, 18)
  header.writeUInt32LE(1, 22)
  header.writeUInt16LE(name.length, 26)
  return new Uint8Array(Buffer.concat([header, Buffer.from(name), deflated]))
}

describe('a source that is broken', () => {
  it('has each broken line told with its number, and the rest goes on', async () => {
    const lines = [mem0(1), '{"id":"m2","memory":"cut', mem0(3), '[1,2]', 'null', '', mem0(7)]
    const read = await readAll(lines.join('\r\n'))
    expect(read.texts).toEqual(['Fact number 1 of the list.', 'Fact number 3 of the list.', 'Fact number 7 of the list.'])
    expect(read.problems.map(({ line, code }) => [line, code])).toEqual([
      [2, 'BAD_JSON'],
      [4, 'BAD_JSON'],
      [5, 'BAD_JSON'],
    ])
  })

  it('has a broken element of an array told, and the next are read; a document that is cut short says so', async () => {
    const read = await readAll(`[\n${mem0(1)},\n{"id": "m2", "memory": nope},\n${mem0(3)},\n{"id":"m4","memory":"never en`)
    expect(read.texts).toEqual(['Fact number 1 of the list.', 'Fact number 3 of the list.'])
    expect(read.problems.map(({ line, code }) => [line, code])).toEqual([
      [3, 'BAD_JSON'],
      [5, 'CUT_SHORT'],
    ])
  })

  it('may be in another encoding: UTF-16 is read, Latin-1 is told line by line, NUL and half characters are told', async () => {
    const text = `${mem0(1)}\n${JSON.stringify({ id: 'x', memory: 'お茶が好きです。' })}\n`
    const utf16 = new Uint8Array([0xff, 0xfe, ...new Uint8Array(new Uint16Array([...text].map((one) => one.charCodeAt(0))).buffer)])
    expect((await readAll(utf16)).texts).toEqual(['Fact number 1 of the list.', 'お茶が好きです。'])
    expect((await readAll(new Uint8Array([0xef, 0xbb, 0xbf, ...utf8(text)]))).texts).toHaveLength(2)
    const latin = new Uint8Array([...utf8(`${mem0(1)}\n{"id":"l","memory":"caf`), 0xe9, ...utf8(`"}\n${mem0(3)}\n`)])
    const read = await readAll(latin)
    expect(read.texts).toHaveLength(2)
    expect(read.problems).toMatchObject([{ line: 2, code: 'BAD_ENCODING' }])
    const odd = await readAll(['a\\u0000b is a text', 'a\\ud800b is a text'].map((memory) => `{"id":"o","memory":"${memory}"}`).join('\n'))
    expect(odd.problems.map((one) => one.code)).toEqual(['BAD_ENCODING', 'BAD_ENCODING'])
  })

  it('may nest without end, or repeat itself by references: told, and bounded', async () => {
    const deep = `[${mem0(1)},{"id":"d","memory":${'['.repeat(200_000)}${']'.repeat(200_000)}},${mem0(3)}]`
    const read = await readAll(deep)
    expect(read.texts).toHaveLength(2)
    expect(read.problems).toMatchObject([{ code: 'TOO_DEEP' }])
    const bomb = `---\na: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
      .split('')
      .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[at]}`).join(',')}]`)
      .join('\n')}\n---\nThe shed is red.\n`
    const note = await readAll(bomb)
    expect(note.texts).toEqual(['The shed is red.'])
    expect(note.problems).toMatchObject([{ code: 'BAD_ROW' }])
  })

  it('may be a bomb: a zip, a gzip and a deep archive that unpack to far more than they are', async () => {
    const text = Buffer.alloc(400 * 1024 * 1024, 'a b c ')
    for (const bomb of [zipOf('bomb.txt', deflateRawSync(text, { level: 1 })), packed(text, { level: 1 })]) {
      const read = await readAll(bomb, {}, 65536)
      expect(read.claims).toEqual([])
      expect(read.problems.at(-1)).toMatchObject({ code: expect.stringMatching(/BAD_ARCHIVE|TOO_LONG/) })
    }
    const zeros = await readAll(zipOf('bomb.bin', deflateRawSync(Buffer.alloc(400 * 1024 * 1024), { level: 9 })), {}, 65536)
    expect(zeros.problems).toMatchObject([{ code: 'BAD_ARCHIVE' }])
    expect(zeros.problems[0]?.message).toContain('far more than it holds')
    const inner = zipSync({ 'x.txt': utf8('The shed is red.') })
    expect((await readAll(zipSync({ 'inner.zip': inner }))).left).toEqual({ not_memory: 1 })
    const broken = zipSync({ 'a.json': utf8(`[${mem0(1)}]`), 'b.json': utf8(`[${mem0(2)}]`) })
    expect((await readAll(broken.subarray(0, 60))).problems).toMatchObject([{ code: 'BAD_ARCHIVE' }])
    expect((await readAll(new Uint8Array([...gzipSync(utf8('x')).subarray(0, 12), 1, 2, 3]))).problems).toMatchObject([
      { code: 'BAD_ARCHIVE' },
    ])
    expect((await readAll(deflateSync(utf8('nothing known')))).claims).toEqual([])
  })

  it('has a quote of CSV that never closes told, and the lines after it read', async () => {
    const csv = `text,id\n"The gate is open,1\nThe wall is high,2\n${'The roof is flat,3\n'.repeat(3)}`
    const read = await readAll(csv)
    expect(read.problems).toMatchObject([{ line: 2, code: 'BAD_ROW' }])
    expect(read.texts).toHaveLength(4)
    expect((await readAll('text,id\na b c,1,2,3\nThe wall is high,2\n')).problems).toMatchObject([{ line: 2, code: 'BAD_ROW' }])
  })

  it('of any bytes at all raises nothing, in pieces of any size', async () => {
    const pieces = fc.integer({ min: 1, max: 64 })
    const starts = fc.constantFrom('[', '{"memory":"', 'PK\x03\x04', '---\n', '\x1f\x8b\x08', 'text,id\n"', '**You:** ', '')
    await fc.assert(
      fc.asyncProperty(starts, fc.uint8Array({ maxLength: 400 }), pieces, async (start, bytes, piece) => {
        const whole = new Uint8Array([...[...start].map((one) => one.charCodeAt(0)), ...bytes])
        await readAll(whole, {}, piece)
      }),
      { numRuns: 300 },
    )
  })

  it('reads the same in pieces of any size', async () => {
    const source = `[\n${mem0(1)},\n{"id":"x","memory":"Quote \\" and 日本語 here.","n":{"a":[1,{"b":"]}"}]}},\n${mem0(3)}\n]`
    const whole = await readAll(source)
    expect(whole.texts).toHaveLength(3)
    for (const piece of [1, 2, 3, 5, 17]) expect((await readAll(source, {}, piece)).claims).toEqual(whole.claims)
  })

  it('of 200 MB is read with memory that does not grow with it', async () => {
    const line = utf8(`${JSON.stringify({ id: 'm', memory: 'The same fact again and again.', pad: 'x'.repeat(1000) })}\n`)
    const block = new Uint8Array(line.length * 1000).map((_, at) => line[at % line.length] as number)
    async function* big(): AsyncGenerator<Uint8Array> {
      for (let sent = 0; sent < 200 * 1024 * 1024; sent += block.length) yield block
    }
    const held = (): number => {
      collect()
      const { arrayBuffers, heapUsed } = process.memoryUsage()
      return (arrayBuffers + heapUsed) / 2 ** 20
    }
    const before = held()
    let found = 0
    let most = 0
    for await (const one of readSource({ path: 'big', bytes: big() }, {}, { file: () => {} })) {
      if (one.kind === 'claim') found++
      if (found % 40_000 === 0) most = Math.max(most, held())
    }
    expect(found).toBeGreaterThan(190_000)
    expect(most).toBeGreaterThan(0)
    expect(most - before).toBeLessThan(30)
  })
})
