import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { REGISTRY } from '../../shared/contract/registry.ts'

const docs = join(import.meta.dirname, '../../docs')
const read = (path: string): string => readFileSync(join(docs, path), 'utf8')
const links = (path: string): string[] =>
  [...read(path).matchAll(/\]\(([^)#\s]+)\)/g)].map(([, to = '']) => join(dirname(join(docs, path)), to))

test('[API001, API020, EXT005, PRO013, WHK034, WHK097] what is out of scope is named, with what is here instead', () => {
  const marked = read('spec/requirements.tsv')
    .split('\n')
    .filter((line) => line.includes('[out-of-scope]'))
    .map((line) => line.split('\t')[0] ?? '')
  const page = read('scope.md')
  expect(marked.filter((id) => !page.includes(id))).toEqual([])
  expect([...page.matchAll(/\b[A-Z]{3}\d{3}\b/g)].map(([id]) => id).toSorted()).toEqual(marked.toSorted())
  expect(links('scope.md').filter((path) => !existsSync(path))).toEqual([])
  const names = Object.keys(REGISTRY)
  expect(names.filter((name) => /^(?:code|tracker)\./.test(name))).toEqual([])
  expect(names).toEqual(expect.arrayContaining(['run.complete', 'run.grade', 'memory.set_from_messages']))
})

test('[API021] the rules of identity and namespaces are written down, each with the test that holds it', () => {
  const linked = links('identity.md')
  expect(linked.length).toBeGreaterThan(6)
  for (const path of linked)
    expect([path, existsSync(path) && /\b(?:it|test)(?:\.each)?\(/.test(readFileSync(path, 'utf8'))]).toEqual([path, true])
})
