import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cleanEnv, type Ended, type Headless, runBuilt, scratchHome, startHeadless } from '../helpers/headless.ts'

let home: string
let drop: () => Promise<void>
let env: Record<string, string>
const loom = (args: readonly string[], stdin = ''): Promise<Ended> => runBuilt('cli.js', args, env, stdin)
/** The answer of `--json`, with the digits of versions kept apart. */
const json = async (...args: string[]): Promise<Record<string, unknown>> => {
  const end = await loom([...args, '--json'])
  expect(end).toMatchObject({ code: 0, stderr: '' })
  return JSON.parse(end.stdout) as Record<string, unknown>
}

beforeAll(async () => {
  ;({ home, drop } = await scratchHome())
  env = cleanEnv({ LOOM_HOME: home })
})
afterAll(() => drop())

describe.each(['with a running app', 'with no app running'])('the command line %s', (situation) => {
  let host: Headless | null = null
  const key = (name: string) => `cli/${situation.replaceAll(' ', '-')}/${name}`
  beforeAll(async () => {
    if (situation === 'with a running app') host = await startHeadless(env)
  })
  afterAll(async () => {
    await host?.stop()
  })

  test('writes, judges and finds a claim, in tables a person reads', async () => {
    const set = await loom([
      'memory.set',
      '--memory_key',
      key('deploy'),
      '--value',
      'Production deploys run Tuesday and Thursday only; never Friday.',
      '--tags',
      'deploy',
      '--tags',
      'policy',
    ])
    expect(set).toMatchObject({ code: 0, stderr: '' })
    expect(set.stdout).toMatch(/^memory_key\s+cli\/.*deploy$/m)
    const found = await loom(['memory.search', '--query', 'when do we deploy'])
    expect(found.code).toBe(0)
    expect(found.stdout).toMatch(/Production deploys/)
    expect(found.stdout).toMatch(/^memory_key\s+.*content_excerpt$/m)
  })

  test('--json is the raw answer, with every digit of the version', async () => {
    const end = await loom([
      'memory.set',
      '--memory_key',
      key('big'),
      '--value',
      '{"serial": 18446744073709551615, "name": "boiler"}',
      '--json',
    ])
    expect(end).toMatchObject({ code: 0, stderr: '' })
    expect(end.stdout).toMatch(/"version":\d{19}[,}]/)
    const got = await loom(['memory.get', '--memory_key', key('big'), '--json'])
    expect(got.stdout).toContain('"serial":18446744073709551615')
    const version = /"version":(\d+)/.exec(got.stdout)?.[1]
    expect(got.stdout).toContain(`"version_text":"${version}"`)
    expect((await loom(['memory.get', '--memory_key', key('big')])).stdout).toContain(`${version}`)
  })

  test('long values come from a file and from standard input', async () => {
    const file = join(dirname(home), 'note.txt')
    await writeFile(file, `The boiler was serviced\non 3 May, ${situation}.\n`)
    await json('memory.set', '--memory_key', key('file'), '--value', `@${file}`)
    expect(await json('memory.get', '--memory_key', key('file'))).toMatchObject({
      value: `The boiler was serviced\non 3 May, ${situation}.`,
    })
    expect((await loom(['memory.set', '--memory_key', key('pipe'), '--value', '-'], `The garage opens ${situation}.\n`)).code).toBe(0)
    expect(await json('memory.get', '--memory_key', key('pipe'))).toMatchObject({ value: `The garage opens ${situation}.` })
  })

  test('an error of the operation is status 1: words on stderr, or the documented body on stdout', async () => {
    const args = ['memory.set', '--memory_key', ' bad ', '--value', 'x']
    const plain = await loom(args)
    expect(plain).toMatchObject({ code: 1, stdout: '' })
    expect(plain.stderr).toMatch(/^INVALID_ARGUMENT: .*memory_key/)
    const raw = await loom([...args, '--json'])
    expect(raw).toMatchObject({ code: 1, stderr: '' })
    expect(JSON.parse(raw.stdout)).toMatchObject({ detail: { code: 'INVALID_ARGUMENT', field: 'memory_key', retryable: false } })
  })
})

describe('the command line by itself', () => {
  test('several at once on one folder wait for each other', async () => {
    const ends = await Promise.all(
      Array.from({ length: 4 }, (_, at) =>
        loom(['memory.set', '--memory_key', `queue/${at}`, '--value', `Shelf ${at} holds ${at + 10} boxes.`]),
      ),
    )
    for (const end of ends) expect(end).toMatchObject({ code: 0, stderr: '' })
  })

  test('[CFG031] LOOM_BASE_URL goes before the folder, and a server that is not there is an error', async () => {
    const end = await runBuilt('cli.js', ['engine.info', '--json'], { ...env, LOOM_BASE_URL: 'http://127.0.0.1:1' })
    expect(end.code).toBe(1)
    expect(JSON.parse(end.stdout)).toMatchObject({ detail: { code: 'UNAVAILABLE' } })
  })

  test.each<[string[], RegExp]>([
    [[], /loom <operation>/],
    [['memory.serch'], /Did you mean memory\.search\?/],
    [['mpc'], /Did you mean mcp\?/],
    [['help', 'memory.sett'], /Did you mean memory\.set\?/],
    [['memory.search', '--qurey', 'x'], /Did you mean --query\?/],
    [['memory.search'], /needs --query/],
    [['completion', 'tcsh'], /bash, zsh, fish/],
    [['mcp', '--toolset', 'nothing'], /no toolset/],
    [['mcp', '--namspace', 'x'], /loom mcp/],
    [['sync', 'statsu'], /^loom sync --once \[--timeout SECONDS\] \| status/],
  ])('%j is typed wrong: status 2, said on stderr', async (args, message) => {
    const end = await loom(args)
    expect(end).toMatchObject({ code: 2, stdout: '' })
    expect(end.stderr).toMatch(message)
  })

  test('help, version and completions are status 0 on stdout', async () => {
    expect(await loom(['--version'])).toEqual({ code: 0, stdout: 'loom 0.1.0\n', stderr: '' })
    expect((await loom(['help'])).stdout).toContain('memory.search')
    expect(await loom(['memory.set', '--help'])).toEqual(await loom(['help', 'memory.set']))
    expect((await loom(['completion', 'bash'])).stdout).toContain('complete -o filenames -F _loom loom')
  })

  test('a setting of a wrong type is told by name', async () => {
    const end = await runBuilt('cli.js', ['engine.info'], { ...env, LOOM_PORT: '70000' })
    expect(end.code).toBe(1)
    expect(end.stderr).toContain('LOOM_PORT')
  })
})
