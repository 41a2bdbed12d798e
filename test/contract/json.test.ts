import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson, stringifyJson } from '../../shared/contract/json.ts'

/** An integer past 2^53 is a bigint for us and a number for JSON.parse. */
function asNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(asNumbers)
  if (typeof value !== 'object' || value === null) return value
  const copy: Record<string, unknown> = Object.create(Object.prototype) as Record<string, unknown>
  for (const [name, member] of Object.entries(value))
    Object.defineProperty(copy, name, { value: asNumbers(member), enumerable: true, writable: true, configurable: true })
  return copy
}

describe('lossless JSON', () => {
  it('keeps every digit of any u64, alone and inside values [SET012]', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (version) => {
        const text = stringifyJson({ version, value: [version, `${version}`, { deep: -version }] })
        expect(text).toBe(`{"version":${version},"value":[${version},"${version}",{"deep":${-version}}]}`)
        const read = parseJson(text) as { version: bigint | number; value: unknown[] }
        expect(BigInt(read.version)).toBe(version)
        expect(read.value[1]).toBe(`${version}`)
      }),
    )
  })

  it('reads and writes what JSON does, for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const native: unknown = JSON.parse(JSON.stringify(value))
        expect(asNumbers(parseJson(stringifyJson(value)))).toEqual(native)
        expect(asNumbers(parseJson(stringifyJson([value, 2n ** 63n])))).toEqual([native, 2 ** 63])
      }),
    )
  })

  it('leaves digits in strings, fractions and exponents alone', () => {
    expect(
      parseJson('{"a":"12345678901234567890","b":1234567890123456.5,"c":12345678901234567890e2,"d":"\\"12345678901234567890"}'),
    ).toEqual({
      a: '12345678901234567890',
      b: 1234567890123456.5,
      c: Number('12345678901234567890e2'),
      d: '"12345678901234567890',
    })
    expect(parseJson('[9007199254740991,9007199254740993,-9007199254740993]')).toEqual([
      9007199254740991,
      9007199254740993n,
      -9007199254740993n,
    ])
  })

  it('keeps a member named __proto__ a member', () => {
    const read = parseJson('{"__proto__":{"a":12345678901234567890}}') as object
    expect(Object.keys(read)).toEqual(['__proto__'])
    expect(stringifyJson(read)).toBe('{"__proto__":{"a":12345678901234567890}}')
  })

  it.each(['', '{', '{"a":}', '[1,]', 'nul', '"\\x"', '{"a":"\\ud8ff#12345678901234567890"}', '['.repeat(300), '1'.repeat(20) + '"'])(
    'refuses %j as INVALID_JSON',
    (text) => {
      expect(() => parseJson(text)).toThrow(expect.objectContaining({ code: 'INVALID_JSON' }) as Error)
    },
  )

  it('stays quick on 10 MB and on a million brackets', () => {
    const from = Date.now()
    parseJson(`[${Array.from({ length: 200_000 }, (_, at) => `{"version":17900000000${String(at).padStart(8, '0')},"t":"x"}`).join(',')}]`)
    expect(() => parseJson('['.repeat(1_000_000))).toThrow()
    expect(Date.now() - from).toBeLessThan(15_000)
  })
})
