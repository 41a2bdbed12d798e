import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { citedIn, coverage } from './coverage-spec.mjs'

// Written so that this file cites nothing itself.
const cite = (list: string): string => `test('a title [${list}]', () => {})`

test('titles cite one id, a list, a range and a list of ranges', () => {
  expect(citedIn(cite('SET014'))).toEqual(['SET014'])
  expect(citedIn(cite('SET001, VER002'))).toEqual(['SET001', 'VER002'])
  expect(citedIn(cite('SET009-SET011'))).toEqual(['SET009', 'SET010', 'SET011'])
  expect(citedIn(cite('SET001-SET002, CHK003'))).toEqual(['SET001', 'SET002', 'CHK003'])
  expect(citedIn(`${cite('SET001')}\n${cite('SET002')} ${cite('SET003')}`)).toEqual(['SET001', 'SET002', 'SET003'])
})

test('comments, skipped tests and other brackets cite nothing', () => {
  expect(citedIn(`// ${cite('SET001')}\n/* ${cite('SET002')}\n*/`)).toEqual([])
  expect(citedIn(cite('SET003').replace('test(', 'test.skip('))).toEqual([])
  expect(citedIn(cite('SET003').replace('test(', 'test.todo('))).toEqual([])
  expect(citedIn("list[SET]; x['SET001']; [SET1]")).toEqual([])
  expect(citedIn(`get('http://localhost') ${cite('SET004')}`)).toEqual(['SET004'])
})

test('coverage counts by area, lists what is missing and what does not exist', () => {
  const table = 'id\tarea\top\nAAA001\tAAA\tx\nAAA002\tAAA\tx\nBBB001\tBBB\tx\n'
  expect(coverage(table, ['AAA002', 'AAA002', 'CCC009'])).toEqual({
    total: 3,
    cited: 1,
    missing: ['AAA001', 'BBB001'],
    by_area: { AAA: { total: 2, cited: 1 }, BBB: { total: 1, cited: 0 } },
    unknown: ['CCC009'],
  })
})

test('the command answers one JSON object over the real table', () => {
  const script = fileURLToPath(new URL('coverage-spec.mjs', import.meta.url))
  const answer = JSON.parse(execFileSync(process.execPath, [script, '--json'], { encoding: 'utf8' }))
  expect(answer.total).toBe(697)
  expect(answer.cited + answer.missing.length).toBe(697)
  expect(answer.by_area.SET.total).toBe(28)
})
