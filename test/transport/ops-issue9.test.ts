import { expect } from 'vitest'
import { onEveryTransport, type OpCall } from '../helpers/transports.ts'

/** Finding and answering: the main promise of each operation, the same on every road. */

const fact = { memory_key: 'deploy/window/prod', value: 'Production deploys run Tuesday and Thursday only; never Friday.' } as const

async function told(call: OpCall): Promise<void> {
  await call('memory.set', { ...fact, agent: 'bot', entities: ['production'], relations: [['production', 'closes on', 'friday']] })
  await call('memory.set', {
    memory_key: 'deploy/board',
    value: 'The deploy board hangs by the lift.',
    agent: 'bot',
    entities: ['production'],
  })
}

onEveryTransport('search', 'finds what is near, with the call that opens it', async (call) => {
  await told(call)
  const { results } = await call('search', { query: 'which days do production deploys run', kinds: ['memory'] })
  expect(results[0]).toMatchObject({ kind: 'memory', ref: fact.memory_key, open: { op: 'memory.get_by_id' } })
})

onEveryTransport('memory.ask', 'answers with citations, or abstains', async (call) => {
  await told(call)
  const answer = await call('memory.ask', { query: 'Which days do production deploys run?' })
  expect(answer).toMatchObject({ answer: `${fact.value} [1]`, citations: [{ n: 1, memory_key: fact.memory_key }] })
  expect(answer.citations[0]?.version_text).toBe(String(answer.citations[0]?.version))
  expect(await call('memory.ask', { query: 'What is the capital of France?' })).toMatchObject({ abstain: true, answer: '' })
})

onEveryTransport('memory.search_trace', 'tells where a key was lost', async (call) => {
  await told(call)
  const { expected, trace } = await call('memory.search_trace', { query: 'production deploys', expect_key: 'no/such' })
  expect(expected).toMatchObject({ stage: 'not_found' })
  expect(trace.legs.length).toBeGreaterThan(0)
})

onEveryTransport('memory.related', 'walks the fact graph', async (call) => {
  await told(call)
  const { rows, triples } = await call('memory.related', { memory_key: fact.memory_key, agent: 'bot' })
  expect(rows).toMatchObject([{ memory_key: 'deploy/board', via: 'entity' }])
  expect(triples).toMatchObject([{ subject: 'production', predicate: 'closes on', object: 'friday' }])
})

onEveryTransport('memory.backlinks', 'lists what refers to a memory', async (call) => {
  await told(call)
  await call('memory.link', { memory_key: 'deploy/board', to_key: fact.memory_key })
  const { links_in: inward, versions } = await call('memory.backlinks', { memory_key: fact.memory_key, agent: 'bot' })
  expect(inward).toMatchObject([{ memory_key: 'deploy/board', relation: 'see_also' }])
  expect(versions).toHaveLength(1)
})

onEveryTransport('memory.evidence', 'tells where memories come from', async (call) => {
  await call('memory.set', { ...fact, agent: 'bot', source_resource_id: 'https://example.org/runbook' })
  const { rows } = await call('memory.evidence', { memory_keys: [fact.memory_key], agent: 'bot' })
  expect(rows).toMatchObject([{ found: true, evidence_count: 1, items: [{ kind: 'resource', ref: 'https://example.org/runbook' }] }])
})

onEveryTransport('memory.digests', 'has none of a period that is not over', async (call) => {
  await told(call)
  expect(await call('memory.digests', {})).toEqual({ digests: [], next_cursor: null, degraded: [] })
})

onEveryTransport('context.pack', 'fills a budget', async (call) => {
  await told(call)
  const { text, tokens } = await call('context.pack', { query: 'which days do production deploys run', token_budget: 200 })
  expect(text).toContain(fact.value)
  expect(tokens).toBeLessThanOrEqual(200)
})
