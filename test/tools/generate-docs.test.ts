import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { REGISTRY } from '../../shared/contract/registry.ts'
import type { OpContract } from '../../shared/contract/declare.ts'
import { ERROR_TABLE } from '../../shared/contract/errors.ts'
import { generatedDocs } from './generated-docs.ts'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test.each(generatedDocs())('$path is what `npm run docs` writes', ({ path, text }) => {
  expect(read(path)).toBe(text)
})

test('[API010] the operations reference gives role, kind, toolset and listing of every operation', () => {
  const page = read('docs/operations.md')
  for (const op of Object.values<OpContract>(REGISTRY)) {
    const row = page.split('\n').find((line) => line.startsWith(`| [${op.name}](`)) ?? ''
    const yes = (is: boolean): string => (is ? 'yes' : 'no')
    const cells = [op.role, op.kind, yes(op.idempotent), yes(op.audited), op.toolset, yes(op.toolset === 'core' || op.toolset === 'all')]
    expect(
      row
        .split('|')
        .slice(2, 8)
        .map((cell) => cell.trim()),
    ).toEqual(cells)
  }
})

test('[API016] the error reference lists each code with its status', () => {
  const page = read('docs/errors.md')
  for (const [code, { status }] of Object.entries(ERROR_TABLE)) expect(page).toContain(`| ${status} | ${code} |`)
})
