import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { notices } from './notices.mjs'

const written = readFileSync(fileURLToPath(new URL('../../docs/third-party-notices.md', import.meta.url)), 'utf8')

test('the third-party notices are current (else: npm run notices)', () => {
  expect(written === notices()).toBe(true)
})

test('no package comes with a licence that forbids shipping it with an Apache-2.0 program', () => {
  const licences = [...written.matchAll(/^\| (\S+) \| \d\S* \| (.+) \|$/gm)].map(([, name, licence]) => ({ name, licence: licence ?? '' }))
  expect(licences.length).toBeGreaterThan(50)
  const fine = /^\(?(Apache-2\.0|MIT|ISC|0BSD|BSD-[23]-Clause|BlueOak-1\.0\.0|OFL-1\.1|CC0-1\.0|PSF-2\.0|Unlicense|Zlib)\b/
  expect(licences.filter(({ licence }) => !fine.test(licence))).toEqual([])
})
