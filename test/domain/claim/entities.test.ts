import { describe, expect, test } from 'vitest'
import { extractEntities } from '../../../shared/domain/claim/entities.ts'

describe('entities of a claim', () => {
  test.each([
    ['Ada Lovelace met Grace in New York.', ['ada lovelace', 'grace', 'new york']],
    ['The Bank of England raised its rate on Monday.', ['bank of england']],
    ['Deploys run on Fridays.', []],
    ['Deploys of Helios go out from the helios_worker queue.', ['helios', 'helios_worker']],
    ['Grace leads. Ask Grace first.', ['grace']],
    ['The "rate limiter" and `retryPolicy` are set in ERR-42.', ['rate limiter', 'retrypolicy', 'err-42']],
    ["Ada's laptop runs PostgreSQL and GraphQL behind the API.", ['postgresql', 'graphql', 'api']],
    ['「検索」は速い。', ['検索']],
    ['München liegt in Bayern; der Zug fährt nach Köln.', ['bayern', 'zug', 'köln']],
    ['', []],
    ['See https://example.org/Some/Path and a@Example.org.', []],
  ])('%s', (claim, entities) => expect(extractEntities(claim)).toEqual(entities))

  test('are at most 16, each once, in the order of the text, and hostile text costs little', () => {
    const many = Array.from({ length: 40 }, (_, at) => `then Alpha${at} Beta`).join(', ')
    expect(extractEntities(many)).toHaveLength(16)
    const started = performance.now()
    for (const text of ['A'.repeat(100_000), 'Aa '.repeat(50_000), '"'.repeat(100_000), "A'a".repeat(30_000), 'A_'.repeat(50_000)])
      extractEntities(text)
    expect(performance.now() - started).toBeLessThan(500)
  })
})
