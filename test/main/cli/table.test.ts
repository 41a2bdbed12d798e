import { describe, expect, test } from 'vitest'
import { renderAnswer } from '../../../main/cli/table.ts'
import { columnsOf, fit, harmless } from '../../../main/cli/text-width.ts'

describe('answers for people', () => {
  test('a list is a table of the columns that say something, within the width', () => {
    const text = renderAnswer(
      {
        results: [
          {
            memory_key: 'deploy/window/prod',
            status: 'active',
            similarity: 0.87654,
            superseded_by: '',
            content_excerpt: `Deploys run ${'on Tuesday '.repeat(20)}`,
          },
          { memory_key: 'a', status: 'conflicted', similarity: 0.5, superseded_by: '', content_excerpt: 'Never.' },
        ],
        abstain: false,
        next: '',
      },
      80,
    )
    const [title, head, rule, first] = text.split('\n')
    expect(title).toBe('results')
    expect(head).toMatch(/^memory_key\s+status\s+similarity\s+content_excerpt$/)
    expect(rule).toMatch(/^-+\s+-+\s+-+\s+-+$/)
    expect(first).toMatch(/^deploy\/window\/prod\s+active\s+0\.877\s+Deploys run .*…$/)
    for (const line of text.split('\n')) expect(columnsOf(line)).toBeLessThanOrEqual(80)
    expect(text).toContain('abstain  false')
    expect(text).not.toContain('next')
  })

  test('an empty list says so', () => {
    expect(renderAnswer({ results: [], abstain_reason: 'Nothing near.' }, 80)).toBe('No results.\n\nabstain_reason  Nothing near.')
  })

  test('fields come one a line, wrapped, versions digit for digit', () => {
    const text = renderAnswer(
      { version: 1_790_000_000_123_456_789n, value: `long ${'word '.repeat(40)}`.trim(), tags: ['a', 'b'], lock: null },
      60,
    )
    expect(text).toContain('version  1790000000123456789')
    expect(text).toContain('tags     a, b')
    expect(text).not.toContain('lock')
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(60)
  })

  test('a stored text cannot steer the terminal', () => {
    expect(harmless('a\u001b[2Jb\u202ec\r\nd\u0007')).toBe('a[2Jbc d')
    expect(renderAnswer({ value: '\u001b]0;owned\u0007' }, 80)).toBe('value  ]0;owned')
  })

  test('wide letters count two columns', () => {
    expect(columnsOf('東京は雨')).toBe(8)
    expect(fit('東京は雨です', 7)).toBe('東京は…')
    expect(columnsOf('👩‍👩‍👧')).toBe(2)
  })
})
