import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readAll } from './read.ts'

interface Fixture {
  readonly fixture_id: string
  readonly body: string
}

const FOLDER = join(import.meta.dirname, '../../data/import-fixtures')
const textOf = (name: string): string => readFileSync(join(FOLDER, name), 'utf8')
const fixtures = (name: string): Fixture[] =>
  textOf(name)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Fixture)

describe('texts of other hands', () => {
  it.each(fixtures('adversarial.jsonl'))('$fixture_id is taken for no chat, and raises nothing', async ({ body }) => {
    const read = await readAll(body)
    expect(read.formats).not.toContain('transcript')
    expect(read.left['answer'] ?? 0).toBe(0)
  })

  it.each(fixtures('chatgpt-export-you-chatgpt.jsonl'))('$fixture_id is a chat, whose answers are left out', async ({ body }) => {
    const read = await readAll(body)
    expect(read.formats).toEqual(['transcript'])
    expect(read.left['answer']).toBe(2)
    expect(read.claims.length + (read.left['question'] ?? 0) + (read.left['short'] ?? 0)).toBe(2)
    expect(read.texts.join(' ')).not.toMatch(/Paris|paragraph 1/)
  })

  it('as lines of a file are records, read by the column that is named', async () => {
    const read = await readAll(textOf('adversarial.jsonl'), { text: 'body', source_trace: 'fixture_id' })
    expect(read.formats).toEqual(['records'])
    expect(read.claims[0]).toMatchObject({ source_trace: 'adversarial-recipe' })
    expect(read.claims.length + read.problems.length).toBe(fixtures('adversarial.jsonl').length)
  })
})
