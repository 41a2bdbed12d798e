import fc from 'fast-check'
import { parse, type ParseError } from 'jsonc-parser'
import { describe, expect, test } from 'vitest'
import { readServers, withEntry } from '../../../main/apps/edit-text.ts'

const ENTRY = { command: '/usr/bin/node', args: ['/opt/loom/cli.js', 'mcp'], env: { LOOM_HOME: '/home/ada/Löm' } }
const SHAPE = { section: 'servers', lenient: true }
const PLAIN = { section: 'mcpServers', lenient: false }

const edited = (text: string, shape = SHAPE): string => {
  const made = withEntry(text, shape, ENTRY)
  if ('problem' in made) throw new Error(made.problem)
  return made.text
}
const takenOut = (text: string, shape = SHAPE): string => {
  const made = withEntry(text, shape, null)
  if ('problem' in made) throw new Error(made.problem)
  return made.text
}
/** Lines of one text that the other has not, in order. */
const added = (before: string, after: string): string[] => {
  const rest = before.split('\n')
  return after.split('\n').filter((line) => {
    if (line !== rest[0]) return true
    rest.shift()
    return false
  })
}

const VSCODE = `// my servers
{
  "servers": {
    // the one for code
    "github": { "type": "http", "url": "https://example.com/mcp" }, // keep this
    "postgres": {
      "command": "npx", /* slow */
      "args": ["-y", "pg"],
    },
  },
  "inputs": [],
}
`

describe('an entry in the text of another app', () => {
  test('comments, trailing commas, order and every other line stay; taken out again the text is what it was', () => {
    const after = edited(VSCODE)
    expect(added(VSCODE, after).map((line) => line.trim())).toEqual([
      '"loom": {',
      '"command": "/usr/bin/node",',
      '"args": [',
      '"/opt/loom/cli.js",',
      '"mcp"',
      '],',
      '"env": {',
      '"LOOM_HOME": "/home/ada/Löm"',
      '}',
      '},',
    ])
    expect(takenOut(after)).toBe(VSCODE)
  })

  test('a comment behind the last entry stays with it', () => {
    const before = '{\n  "servers": {\n    "a": {} // mine\n  }\n}\n'
    const after = edited(before)
    expect(after).toContain('"a": {}, // mine\n    "loom": {\n      "command"')
    expect(takenOut(after)).toBe(before)
  })

  test.each([
    ['tabs', '{\n\t"servers": {\n\t\t"a": {}\n\t}\n}\n'],
    ['CRLF', '{\r\n  "servers": {\r\n    "a": {}\r\n  }\r\n}\r\n'],
    ['four spaces', '{\n    "servers": {\n        "a": {}\n    }\n}'],
    ['one line', '{"x":[1,2],"servers":{"a":{"b":"}"}}}'],
    ['commas at the start of lines', '{\n  "servers": {\n    "a": 1\n  , "b": 2\n  }\n}\n'],
  ])('%s: laid out like its neighbours, and back again byte for byte', (_, before) => {
    const after = edited(before)
    expect(readServers(after, SHAPE)).toMatchObject({ own: ENTRY })
    expect(after.includes('\r\n')).toBe(before.includes('\r\n'))
    if (before.includes('\r\n')) expect(after.replaceAll('\r\n', '')).not.toContain('\n')
    expect(takenOut(after)).toBe(before)
  })

  test.each(['', '  \n', '{}', '{ }\n', '{\n}\n', '{"other": 1}', '{\n  "other": 1 // last\n}\n'])('%j gets the section', (before) => {
    const errors: ParseError[] = []
    expect(parse(edited(before), errors)).toMatchObject({ servers: { loom: ENTRY } })
    expect(errors).toEqual([])
  })

  test('an entry of that name is replaced, and nothing else', () => {
    const before = VSCODE.replace('"postgres"', '"loom": { "url": "http://localhost:7777/mcp" },\n    "postgres"')
    const after = edited(before)
    expect(readServers(after, SHAPE)).toEqual({ others: ['github', 'postgres'], own: ENTRY })
    expect(after).toContain('"command": "npx", /* slow */')
    expect(after).not.toContain('7777')
  })

  test.each([
    ['cut off', '{ "servers": { "a": {} ', 'no JSON: close brace expected at line 1'],
    ['a colon missing', '{\n  "servers": {\n    "a" {}\n  }\n}', 'colon expected at line 3, column 9'],
    ['a list', '[]', 'no object'],
    ['a list of servers', '{"servers": []}', '“servers” in it is no object'],
    ['servers twice', '{"servers": {}, "servers": {}}', 'names “servers” twice'],
    ['the entry twice', '{"servers": {"loom": {}, "loom": {}}}', 'names “loom” twice'],
    ['100,000 brackets', `{"x": ${'['.repeat(100_000)}`, ''],
    ['no JSON at all', 'nothing', ''],
  ])('%s: left alone, and said why', (_, text, why) => {
    const made = withEntry(text, SHAPE, ENTRY)
    expect(made).toEqual({ problem: expect.stringContaining(why) as string })
  })

  test('an app that reads plain JSON alone is not given what it cannot read', () => {
    expect(withEntry(VSCODE, { ...SHAPE, lenient: false }, ENTRY)).toEqual({ problem: expect.stringContaining('no plain JSON') as string })
    const before = '{\n  "mcpServers": {\n    "a": {}\n  },\n  "theme": "dark"\n}\n'
    expect(() => JSON.parse(edited(before, PLAIN)) as unknown).not.toThrow()
    expect(takenOut(edited(before, PLAIN), PLAIN)).toBe(before)
  })

  test('whatever else a file holds, its values and their order are the same after', () => {
    const json = fc.json({ maxDepth: 4 })
    const file = fc.record({
      before: json,
      servers: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 }),
      indent: fc.constantFrom('', '  ', '\t'),
    })
    fc.assert(
      fc.property(file, ({ before, servers, indent }) => {
        const { loom: _, ...others } = { ...servers }
        const text = JSON.stringify({ ['"é\n']: JSON.parse(before) as unknown, servers: others, last: 1 }, null, indent)
        const after = edited(text)
        const { servers: now, ...rest } = JSON.parse(after) as { servers: Record<string, unknown> }
        const { loom, ...kept } = now
        expect(loom).toEqual(ENTRY)
        expect(JSON.stringify({ ...rest, kept })).toBe(
          JSON.stringify({ ...(JSON.parse(text) as object), servers: undefined, kept: others }),
        )
        expect(takenOut(after).replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''))
      }),
      { numRuns: 150 },
    )
  })
})
