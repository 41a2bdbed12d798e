import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, type Client } from '../../../shared/client/create-client.ts'
import { inProcessLink } from '../../../shared/client/in-process-link.ts'
import { runImport } from '../../../shared/client/importing/run-import.ts'
import { NO_MODELS, openTestEngine, testCaller, type TestEngine } from '../../helpers/engine.ts'
import { inPieces, utf8 } from './read.ts'
import { comparable, exported } from './whole-export.ts'

let loom: TestEngine
let client: Client
beforeAll(async () => {
  loom = await openTestEngine({ models: NO_MODELS })
  client = createClient(inProcessLink(loom.engine, testCaller()))
})
afterAll(() => loom.close())

type Step = readonly [op: string, input: Readonly<Record<string, unknown>>]

const word = fc.constantFrom('anchor', 'barley', 'candle', 'dune', 'ember', 'fjord', '灯台', 'köprü')
const key = fc.constantFrom('anchor/1', 'anchor/2', 'dune', 'fjord', '灯台')
const text = fc.oneof(
  fc.tuple(word, word, fc.nat({ max: 9 })).map(([a, b, n]) => `The ${a} of the ${b} counts ${n} stones.`),
  fc.tuple(word, word).map(([a, b]) => `Every ${a} stands beside a ${b}.`),
)
const owner = fc.oneof(
  { weight: 5, arbitrary: fc.constant({ agent: 'one', user_id: '-', session_id: '-' }) },
  {
    weight: 1,
    arbitrary: fc.record({
      agent: fc.constantFrom('one', 'two'),
      user_id: fc.constantFrom('-', 'ada'),
      session_id: fc.constantFrom('-', 's1'),
    }),
  },
)
const step = (op: string, input: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<Step> =>
  fc.tuple(owner, input).map(([who, own]) => [op, { ...who, ...own }] as const)

const memories = fc.oneof(
  step(
    'memory.set',
    fc.record({
      memory_key: key,
      value: fc.oneof(text, fc.record({ claim: text, n: fc.bigInt({ min: 2n ** 60n, max: 2n ** 62n }) })),
      tags: fc.uniqueArray(word, { maxLength: 2 }),
      memory_type: fc.constantFrom('semantic', 'semantic', 'episodic'),
      confidence: fc.constantFrom(1, 0.5),
      valid_at: fc.constantFrom(null, '2024-02-29T00:00:00.000Z'),
      source_class: fc.constantFrom('external', 'derived'),
    }),
  ),
  step('memory.set', fc.record({ memory_key: key, value: text, proposed: fc.constant(true) })),
  step('memory.update', fc.record({ memory_key: key, value: text })),
  step('memory.pin', fc.record({ memory_key: key, value: text })),
  step('memory.lock', fc.record({ memory_key: key, reason: word, mode: fc.constantFrom('no_delete', 'read_only') })),
  step('memory.touch', fc.record({ memory_key: key, ttl_seconds: fc.constant(86_400), expire_reason: word })),
  step('memory.link', fc.record({ memory_key: key, to_key: key, relation: fc.constant('see_also'), note: word })),
  step('memory.promote', fc.record({ memory_key: key, note: word })),
  step('memory.delete', fc.record({ memory_key: key })),
  step('memory.reject', fc.record({ memory_key: key, reason: word })),
  step('conflicts.resolve', fc.record({ memory_key: key, resolution: fc.constantFrom('keep_both', 'keep_row') })),
  step('memory.assign_category', fc.record({ memory_key: key, category: fc.constantFrom('Tools', 'Places') })),
  step('blacklist.add', fc.record({ pattern: fc.constantFrom('counts 3 stones', 'beside a dune') })),
)
const shaped = fc.oneof(
  step('decision.record', fc.record({ title: word, decision: text, rationale: text })),
  step('procedure.record', fc.record({ title: word, steps: fc.array(text, { minLength: 1, maxLength: 3 }) })),
  step('learning.record', fc.record({ lesson: text, situation: word, evidence: fc.array(key, { maxLength: 2 }) })),
  step('learning.decide', fc.record({ memory_key: text.map(slugged), decision: fc.constantFrom('keep', 'reject') })),
  step('profile.set', fc.record({ attribute: fc.constantFrom('city', 'tea'), value: text, subject: fc.constantFrom('ada', 'a/b%'), built_from: fc.array(key, { maxLength: 2 }) })), // prettier-ignore
)
function slugged(lesson: string): string {
  return `learning/${lesson
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')}`
}

const field = { name: 'number', type: 'string', identity: true, required: true }
const schemas = fc.constantFrom(
  { schema: 'ticket', fields: [field, { name: 'amount', type: 'number' }] },
  { schema: 'ticket', fields: [field, { name: 'amount', type: 'number' }, { name: 'open', type: 'boolean' }] },
  { schema: 'ticket', fields: [field] },
)
const records = fc.oneof(
  step('memory_schema.register', schemas),
  step(
    'memory_schema.propose',
    schemas.map((schema) => ({ ...schema, reason: 'because' })),
  ),
  step(
    'memory.record.write',
    fc.record(
      {
        schema: fc.constant('ticket'),
        fields: fc.record({ number: word, amount: fc.oneof(fc.nat({ max: 9 }), fc.constant({ state: 'absent' }), fc.constant({ state: 'rejected', value: 4 })) }, { requiredKeys: ['number'] }), // prettier-ignore
        record_key: fc.constantFrom('own', 'ticket/anchor'),
      },
      { requiredKeys: ['schema', 'fields'] },
    ),
  ),
  step('memory.record.delete', fc.record({ schema: fc.constant('ticket'), record_key: fc.constantFrom('own', 'ticket/dune') })),
)
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const library = fc.oneof(
  step('knowledge.add', fc.record({ document_key: key, text: fc.tuple(word, text).map(([a, b]) => `# ${a}\n\n${b}\n\n## More\n\n${b}`), tags: fc.uniqueArray(word, { maxLength: 2 }), sensitivity: fc.constantFrom('low', 'high'), metadata: fc.record({ n: fc.nat() }) })), // prettier-ignore
  step('knowledge.add', fc.record({ document_key: key, content_base64: text.map((said) => base64(utf8(`<h1>Page</h1><p>${said}</p>`))), collection: fc.constantFrom('default', 'pages') })), // prettier-ignore
  step('knowledge.add', fc.record({ source: key.map((name) => `${name}.txt`), content_base64: text.map((said) => base64(new Uint8Array(Buffer.from(`\uFEFF${said}`, 'utf16le')))) })), // prettier-ignore
  step('knowledge.delete', fc.record({ document_key: key })),
  step(
    'conversation.append',
    fc.record({
      thread_id: fc.constantFrom('t1', 't2'),
      title: word,
      metadata: fc.record({ n: fc.nat() }),
      messages: fc.array(
        fc.record(
          {
            role: fc.constantFrom('user', 'assistant', 'tool'),
            content: text,
            name: word,
            at: fc.constant('2024-05-01T10:00:00Z'),
            sensitivity: fc.constantFrom('', 'low', 'high'),
            metadata: fc.record({ k: word }),
          },
          { requiredKeys: ['role', 'content'] },
        ),
        { maxLength: 4 },
      ),
    }),
  ),
  step('conversation.delete', fc.record({ thread_id: fc.constantFrom('t1', 't2') })),
)
const run_id = fc.constantFrom('r1', 'r2')
const runs = fc.oneof(
  step('run.start', fc.record({ run_id, goal: text, metadata: fc.record({ n: fc.nat() }) })),
  step('run.event', fc.record({ run_id, events: fc.array(fc.record({ kind: fc.constantFrom('note', 'file_read'), summary: text, files: fc.array(word, { maxLength: 2 }), at: fc.constant('2024-05-01T10:00:00Z') }), { minLength: 1, maxLength: 3 }) })), // prettier-ignore
  step('run.complete', fc.record({ run_id, status: fc.constantFrom('completed', 'failed', 'cancelled'), final_response: text, confidence: fc.constantFrom(null, 0.5), memories_used: fc.array(key, { maxLength: 2 }), outcome: fc.constantFrom(null, 'positive', 'negative'), retain: fc.constantFrom('keep', 'demote'), reflection: text, weight: fc.constantFrom(1, 3) })), // prettier-ignore
  step('run.grade', fc.record({ run_id, grade: fc.constantFrom('pass', 'fail'), reason: word })),
  step('working_memory.set', fc.record({ key: word, value: fc.jsonValue({ maxDepth: 2 }) })),
)
const settings = step(
  'namespace.register',
  fc.record(
    {
      description: text,
      default_conflict_policy: fc.constantFrom('flag', 'newest_wins', 'keep_existing'),
      proposal_policy: fc.constant({ mode: 'auto', min_passes: 2, max_fails: 0, reject_after_fails: 2 }),
      tag_registry: fc.constant({ anchor: { search: 'hidden' } }),
    },
    { requiredKeys: [] },
  ),
)
const steps = fc.array(fc.oneof({ weight: 6, arbitrary: memories }, { weight: 2, arbitrary: shaped }, { weight: 2, arbitrary: records }, { weight: 3, arbitrary: library }, { weight: 3, arbitrary: runs }, { weight: 1, arbitrary: settings }), { minLength: 15, maxLength: 40 }) // prettier-ignore

/** A small store made by what anybody may call; what is refused belongs to it. */
async function make(namespace: string, all: readonly Step[]): Promise<void> {
  for (const category of ['Tools', 'Places']) await client.namespace.register_category({ namespace, category })
  for (const [op, input] of all) await client.call(op, { namespace, ...input }).catch(() => {})
}

const load = (namespace: string, whole: string, dryRun = false) =>
  runImport(client, [{ path: 'export.jsonl', size: whole.length, open: () => inPieces(utf8(whole), 4096) }], { place: { namespace }, columns: {}, dryRun }) // prettier-ignore

describe('an import of an export, over every section', () => {
  it(
    'gives a store whose export is equal, tells beforehand what it would store, and adds nothing the second time',
    { timeout: 120_000 },
    async () => {
      let round = 0
      await fc.assert(
        fc.asyncProperty(steps, async (all) => {
          const [from, to] = [`from-${++round}`, `to-${round}`]
          await make(from, all)
          const whole = await exported(client, from)
          const dry = await load(to, whole, true)
          expect(dry.problems).toEqual([])
          const real = await load(to, whole)
          expect(real.problems).toEqual([])
          expect(await comparable(client, to)).toEqual(await comparable(client, from))
          expect([dry.found, dry.written]).toEqual([real.found, real.written])
          const again = await load(to, whole)
          expect(again).toMatchObject({ found: real.found, totals: { written: 0 }, problems: [] })
          expect(await comparable(client, to)).toEqual(await comparable(client, from))
        }),
        // The same stores each time: a run of all tests is no place to meet a new one. Change the seed to look for more.
        { numRuns: 8, seed: 20261201, endOnFailure: true },
      )
    },
  )
})
