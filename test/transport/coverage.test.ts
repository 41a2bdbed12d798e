import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { REGISTRY } from '../../shared/contract/registry.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

test('every operation has a test that runs on every transport', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'))
  const texts = files.map((file) => readFileSync(join(root, file), 'utf8'))
  const tested = new Set(texts.flatMap((text) => [...text.matchAll(/^onEveryTransport\(\s*'([^']+)'/gm)].map((match) => match[1])))
  expect(Object.keys(REGISTRY).filter((op) => !tested.has(op))).toEqual([])
})
