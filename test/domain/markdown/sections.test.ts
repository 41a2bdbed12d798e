import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { headingsOf } from '../../../shared/domain/markdown/headings.ts'
import { defaultPrefix, sectionKeys, sectionsOf } from '../../../shared/domain/markdown/sections.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const headings = (markdown: string) => headingsOf(markdown.split('\n')).map(({ level, text }) => `${level} ${text}`)

test.each([
  ['signs', '# A\n## B ##\n###### F\n####### seven\n#none\n ## C # D #', ['1 A', '2 B', '6 F', '2 C # D']],
  ['underlines', 'Title\n===\n\nA\nsecond line\n---\n\n---\n\ntext', ['1 Title', '2 A second line']],
  ['no underline of a list, a quotation or nothing', '- item\n---\n> said\n---\n1. one\nlazy\n===\n\n===', []],
  ['code', '```sh\n# not this\n```\n~~~~\n## nor this\n~~~\n# inside\n~~~~\n## yes\n\n    # indented\n', ['2 yes']],
  ['code that never ends', '# A\n```\n# B\n', ['1 A']],
  ['front matter', '---\ntitle: x\n# a remark\n---\n# A\n---\n', ['1 A']],
  ['a rule that opens no front matter', '---\n# A\n', ['1 A']],
  [
    'comments and blocks of HTML',
    '<!-- \n# not this\n-->\n# A\n<div>\n# nor this\n\n# B\n<pre>\n\n# no\n</pre>\n# C',
    ['1 A', '1 B', '1 C'],
  ],
  ['an empty heading', '##\n## ##\n', ['2 ', '2 ']],
])('%s', (_what, markdown, found) => {
  expect(headings(markdown)).toEqual(found)
})

describe('sections', () => {
  const FILE = `---
owner: kim
---
Before.

# Handbook

Under the title.

## Deploys

Tuesday and Thursday.

### Who

Kim.

## Empty
## Deploys

Again.
# Second part

Under it.
`

  it('are one for each heading of the level, deeper ones inside [CUR002, CUR003]', () => {
    const { sections, title, unusedChars } = sectionsOf(FILE, 2)
    expect(sections.map(({ heading, line, text }) => [heading, line, text])).toEqual([
      ['Deploys', 10, 'Deploys\n\nTuesday and Thursday.\n\n### Who\n\nKim.'],
      ['Empty', 18, 'Empty'],
      ['Deploys', 19, 'Deploys\n\nAgain.'],
    ])
    expect([title, unusedChars]).toEqual(['Handbook', 'Before.'.length + 'Under the title.'.length + 'Under it.'.length])
  })

  it('have keys of the prefix, the headings above and their own [CUR004]', () => {
    const keys = (markdown: string, level: number, prefix = 'p') => sectionKeys(sectionsOf(markdown, level).sections, prefix, sha256)
    expect(keys(FILE, 2)).toEqual(['p/deploys', 'p/empty', 'p/deploys-2'])
    expect(keys(FILE, 3)).toEqual(['p/deploys/who'])
    expect(keys(FILE, 1)).toEqual(['p/handbook', 'p/second-part'])
    expect(keys('## A\n## A\n## A-2\n## !?\n', 2)).toEqual(['p/a', 'p/a-2', 'p/a-2-2', `p/-${sha256('!?').slice(0, 8)}`])
    expect(keys('## A\n#### B\n### C\n#### B\n', 4)).toEqual(['p/a/b', 'p/a/c/b'])
  })

  it.each([
    ['docs/Team Notes.md', 'Title', 'team-notes'],
    ['https://example.org/a/Guide.en.md?x=1#y', 'Title', 'guide-en'],
    ['C:\\notes\\CLAUDE.md', '', 'claude'],
    ['.hidden', '', 'hidden'],
    ['', 'The Handbook', 'the-handbook'],
    ['', '', 'curated'],
  ])('of %s with the title "%s" begin with %s [CUR004]', (path, title, prefix) => {
    expect(defaultPrefix(path, title, sha256)).toBe(prefix)
  })

  it('keep what is under a heading as it is written, line ends too', () => {
    const { sections } = sectionsOf('\ufeff## A\r\n\r\n\r\n  indented\r\n\r\n* b  \r\n', 2)
    expect(sections).toMatchObject([{ text: 'A\n\n  indented\r\n\r\n* b' }])
  })

  it.each([
    ['headings', '# a\n'.repeat(200_000)],
    ['deep headings', '### a\n'.repeat(200_000)],
    ['fences', '```\n'.repeat(300_000)],
    ['blocks of HTML', '<div>\n\n'.repeat(200_000)],
    ['white space', `#${' '.repeat(500_000)}x`],
    ['signs', `# ${'#'.repeat(500_000)}x`],
    ['rules', '- '.repeat(500_000)],
  ])('are found in time that is as long as the text: %s', (_what, markdown) => {
    const begun = performance.now()
    sectionsOf(markdown, 3)
    expect(performance.now() - begun).toBeLessThan(5000)
  })

  it('lose nothing and end, whatever the text', () => {
    const line = fc.constantFrom('# A', '## B', '### C', 'text', '', '---', '===', '```', '<!--', '-->', '- x', '> y', '    code', '<div>')
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), fc.integer({ min: 1, max: 6 }), (lines, level) => {
        const { sections, unusedChars } = sectionsOf(lines.join('\n'), level)
        const known = headingsOf(lines).filter((heading) => heading.level === level)
        expect(sections.map((section) => section.line)).toEqual(known.map((heading) => heading.from + 1))
        expect(new Set(sectionKeys(sections, 'p', sha256)).size).toBe(sections.length)
        expect(unusedChars).toBeLessThanOrEqual(lines.join('\n').length)
      }),
      { numRuns: 300 },
    )
  })
})
