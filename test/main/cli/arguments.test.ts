import { describe, expect, test } from 'vitest'
import { parseCall } from '../../../main/cli/arguments.ts'
import { contractOf, type OpName } from '../../../shared/contract/registry.ts'

const sources: Record<string, string> = { '-': 'from a pipe\n', 'notes.txt': 'from a file\r\n', 'value.json': '{"a": 9007199254740993}\n' }
const read = async (source: string): Promise<string> => {
  const text = sources[source]
  if (text === undefined) throw new Error('ENOENT: no such file')
  return text
}
const parse = (op: OpName, ...args: string[]) => parseCall(contractOf(op), args, read)
const input = async (op: OpName, ...args: string[]) => (await parse(op, ...args)).input
const set = (...args: string[]) => input('memory.set', '--memory_key', 'k', ...args)

describe('flags of an operation', () => {
  test('take the wire names, with hyphens as well, after a space or an equals sign', async () => {
    expect(await input('memory.set', '--memory_key', 'a/b', '--value=x = y')).toEqual({ memory_key: 'a/b', value: 'x = y' })
    expect(await input('memory.set', '--memory-key=a/b', '--value', 'x')).toEqual({ memory_key: 'a/b', value: 'x' })
  })

  test('a value may begin with hyphens', async () => {
    expect(await set('--value', '--not a flag')).toEqual({ memory_key: 'k', value: '--not a flag' })
  })

  test('switches are on alone, and off as no_ or false', async () => {
    expect(await set('--value', 'v', '--pinned', '--dry_run')).toMatchObject({ pinned: true, dry_run: true })
    expect(await set('--value', 'v', '--no-pinned', '--dry_run', 'false')).toMatchObject({ pinned: false, dry_run: false })
    expect(await set('--value', 'v', '--pinned=true')).toMatchObject({ pinned: true })
  })

  test('lists repeat, or come whole as JSON', async () => {
    expect(await set('--value', 'v', '--tags', 'deploy', '--tags', 'prod, eu')).toMatchObject({ tags: ['deploy', 'prod, eu'] })
    expect(await set('--value', 'v', '--tags', '["a","b"]')).toMatchObject({ tags: ['a', 'b'] })
    expect(await set('--value', 'v', '--tags', '[wip]')).toMatchObject({ tags: ['[wip]'] })
    expect(await set('--value', 'v', '--relations', '["a","uses","b"]', '--relations', '["b","is","c"]')).toMatchObject({
      relations: [
        ['a', 'uses', 'b'],
        ['b', 'is', 'c'],
      ],
    })
    expect(await set('--value', 'v', '--relations', '["a","uses","b"]')).toMatchObject({ relations: [['a', 'uses', 'b']] })
    expect(await set('--value', 'v', '--relations', '[["a","uses","b"]]')).toMatchObject({ relations: [['a', 'uses', 'b']] })
  })

  test('numbers become numbers', async () => {
    expect(await set('--value', 'v', '--ttl_seconds', '60', '--confidence', '.5')).toMatchObject({ ttl_seconds: 60, confidence: 0.5 })
  })

  test('[SET022] versions keep every digit', async () => {
    const { value } = (await set('--value', '{"version": 18446744073709551615}')) as { value: { version: unknown } }
    expect(value.version).toBe(18_446_744_073_709_551_615n)
  })

  test('null is null where the field takes it, and a word elsewhere', async () => {
    expect(await set('--value', 'null', '--valid_to', 'null', '--source_trace', 'null')).toEqual({
      memory_key: 'k',
      value: null,
      valid_to: null,
      source_trace: 'null',
    })
  })

  test.each([
    ['Deploys run on Tuesday.', 'Deploys run on Tuesday.'],
    ['42', 42],
    ['"42"', '42'],
    ['{"a":[1]}', { a: [1] }],
    ['[draft] deploy on Friday', '[draft] deploy on Friday'],
    ['[draft]', '[draft]'],
    ['{{template}} text', '{{template}} text'],
    ['@@name', '@name'],
  ])('the value %j is %j', async (text, value) => {
    expect(await set('--value', text)).toMatchObject({ value })
  })

  test('long values come from files and standard input, without their last newline', async () => {
    expect(await set('--value', '@notes.txt')).toMatchObject({ value: 'from a file' })
    expect(await set('--value', '-')).toMatchObject({ value: 'from a pipe' })
    expect(await set('--value', '@-')).toMatchObject({ value: 'from a pipe' })
    expect(await set('--value', '@value.json')).toMatchObject({ value: { a: 9_007_199_254_740_993n } })
  })

  test('a hyphen as identity means none', async () => {
    expect(await set('--value', 'v', '--user_id', '-', '--session-id', '-')).toMatchObject({ user_id: '-', session_id: '-' })
  })

  test('--json and --help belong to every operation', async () => {
    expect(await parse('engine.info', '--json')).toEqual({ input: {}, json: true, help: false })
    expect(await parse('memory.set', '--help')).toMatchObject({ help: true })
    expect(await parse('memory.set', '-h')).toMatchObject({ help: true })
  })
})

describe('what is typed wrong is a usage error that says what to type', () => {
  test.each<[OpName, string[], RegExp]>([
    ['memory.set', ['--memory_kye', 'k'], /no field --memory_kye\. Did you mean --memory_key\?/],
    ['memory.search', ['--query', 'x', '--jsn'], /Did you mean --json\?/],
    ['memory.search', ['--query', 'x', '--zzzzzzzzz', '1'], /loom help memory\.search/],
    ['memory.search', ['when do we deploy'], /--query "when do we deploy"/],
    ['memory.search', [], /needs --query/],
    ['memory.set', [], /needs --memory_key and --value/],
    ['memory.search', ['--query'], /--query needs a value/],
    ['memory.search', ['--query', 'a', '--query', 'b'], /given twice/],
    ['memory.search', ['--query', 'a', '--top_k', 'ten'], /whole number/],
    ['memory.search', ['--query', 'a', '--tag_boost', 'much'], /is a number/],
    ['memory.search', ['--query', 'a', '--bodies=perhaps'], /true or false/],
    ['memory.set', ['--memory_key', 'k', '--value', '{"a": 1,}'], /looks like JSON but is not/],
    ['memory.set', ['--memory_key', 'k', '--value', '@missing.txt'], /Cannot read missing\.txt/],
    ['memory.set', ['--memory_key', '-', '--value', '-'], /one field only/],
    ['memory.set', ['--memory_key', 'k', '--value', 'v', '--relations', 'a uses b'], /is JSON, and this is not/],
  ])('%s %j', async (op, args, message) => {
    await expect(parse(op, ...args)).rejects.toMatchObject({ name: 'UsageError', message: expect.stringMatching(message) as string })
  })
})
