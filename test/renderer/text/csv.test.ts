import { expect, test } from 'vitest'
import { csvLine } from '../../../renderer/text/csv.ts'

test.each([
  [['a', 1, true, null], 'a,1,true,'],
  [['a,b', 'a"b', 'a\nb', ' a'], '"a,b","a""b","a\nb"," a"'],
  [['=1+1', '+1', '-1', '@x', '\tx'], `'=1+1,'+1,'-1,'@x,'\tx`],
  // A number is no text, and no formula.
  [[-1, 1e21], '-1,1e+21'],
  [['東京', '🦊'], '東京,🦊'],
])('the line of %j', (cells, line) => {
  expect(csvLine(cells)).toBe(`${line}\r\n`)
})
