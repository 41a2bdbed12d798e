import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient, type Client } from '../../shared/client/create-client.ts'
import { Blacklisted, CharLimitExceeded, Locked, PinnedConflict, PreconditionFailed } from '../../shared/client/errors.ts'
import { httpLink } from '../../shared/client/http-link.ts'
import type { Listening } from '../../shared/transport/serve.ts'
import { OPENING_MS, serveEngine, testEngine } from '../helpers/transports.ts'

let loom: Listening
let sent: { op: string; body: Record<string, unknown> }[] = []

beforeAll(async () => {
  loom = await serveEngine(await testEngine())
}, OPENING_MS)
afterAll(() => loom.close())

/** A client of its own, and a namespace of its own, for each test; what it sends is counted. */
function fresh(options = {}): { client: Client; namespace: string } {
  sent = []
  const counting: typeof fetch = (address, init) => {
    const { url } = new Request(address, { method: 'POST' })
    const body = typeof init?.body === 'string' ? init.body : '{}'
    sent.push({ op: url.split('/').at(-1) ?? '', body: JSON.parse(body) as Record<string, unknown> })
    return fetch(address, init)
  }
  return {
    client: createClient(httpLink({ baseUrl: loom.url, fetch: counting }), { backoffMs: 5, ...options }),
    namespace: `k-${randomBytes(6).toString('hex')}`,
  }
}

const FACTS = [
  'The canteen opens at eleven.',
  'Bicycles are parked behind the hall.',
  'Ada leads the team.',
  'The cat is called Miso.',
  'Meters are read in May.',
]
const ops = (): string[] => sent.map((one) => one.op)
const keys = (call: number): unknown => ((sent[call]?.body['entries'] ?? []) as { memory_key: string }[]).map((entry) => entry.memory_key)

describe('a burst of sets', () => {
  test('[PRE007] goes in one memory.bulk_set from the third set of one identity on', async () => {
    const { client, namespace } = fresh()
    const sets = await Promise.all(
      FACTS.map((value, at) => client.memory.set({ namespace, memory_key: `f/${at}`, value, tags: ['burst'] })),
    )
    expect(ops()).toEqual(['memory.set', 'memory.set', 'memory.bulk_set'])
    expect(keys(2)).toEqual(['f/2', 'f/3', 'f/4'])
    expect(sets.map((set) => set.coalesced)).toEqual([undefined, undefined, true, true, true])
    expect(await client.memory.get({ namespace, memory_key: 'f/4' })).toMatchObject({
      value: FACTS[4],
      tags: ['burst'],
      version: sets[4]?.version,
    })
  })

  test('[PRE008] a result says coalesced, has no content_sha256, and the rest of what a set answers', async () => {
    const { client, namespace } = fresh()
    const [first, , third] = await Promise.all(
      FACTS.slice(0, 3).map((value, at) => client.memory.set({ namespace, memory_key: `f/${at}`, value })),
    )
    const { content_sha256: _hash, ...fields } = first ?? {}
    expect(third).not.toHaveProperty('content_sha256')
    expect(Object.keys(third ?? {}).sort()).toEqual([...Object.keys(fields), 'coalesced'].sort())
    expect(third).toMatchObject({
      coalesced: true,
      namespace,
      memory_key: 'f/2',
      status: 'active',
      conflict_verdict: 'clear',
      noop: false,
      dry_run: false,
    })
  })

  test('[PRE007] never groups two identities, and is no burst when the sets come slowly', async () => {
    const { client, namespace } = fresh()
    await Promise.all(
      ['a', 'b'].flatMap((agent) =>
        FACTS.slice(0, 4).map((value, at) =>
          client.memory.set({ namespace, agent, memory_key: `${agent}/${at}`, value: `${value} (${agent})` }),
        ),
      ),
    )
    expect(ops().filter((op) => op === 'memory.bulk_set')).toHaveLength(2)
    for (const { op, body } of sent)
      if (op === 'memory.bulk_set') expect(body).toMatchObject({ agent: expect.stringMatching(/^[ab]$/), entries: [{}, {}] })
    const slow = fresh()
    for (let at = 0; at < 3; at++) {
      await slow.client.memory.set({ namespace, memory_key: `slow/${at}`, value: `${FACTS[at]} (slowly)` })
      await new Promise((resolve) => setTimeout(resolve, 120))
    }
    expect(ops()).toEqual(['memory.set', 'memory.set', 'memory.set'])
  })

  test('[PRE009] a set with if_match_sha256 goes alone, and so do a dry run and one with options', async () => {
    const { client, namespace } = fresh()
    const set = (at: number, more = {}) => client.memory.set({ namespace, memory_key: `f/${at}`, value: FACTS[at] ?? '', ...more })
    const answers = Promise.all([
      set(0),
      set(1),
      set(2),
      set(3, { dry_run: true }),
      client.memory.set({ namespace, memory_key: 'f/4', value: FACTS[4] ?? '' }, {}),
    ])
    const stale = await client.memory
      .set({ namespace, memory_key: 'f/0', value: 'x', if_match_sha256: 'f'.repeat(64) })
      .catch((error: unknown) => error)
    expect(stale).toBeInstanceOf(PreconditionFailed)
    expect((await answers).map((answer) => 'content_sha256' in answer)).toEqual([true, true, false, true, true])
    expect(ops().filter((op) => op === 'memory.bulk_set')).toHaveLength(1)
    const guarded = sent.filter(({ body }) => body['if_match_sha256'] !== undefined)
    expect(guarded).toMatchObject([{ op: 'memory.set' }])
  })

  test('an entry that is skipped or refused raises what its set would have', async () => {
    const { client, namespace } = fresh()
    await client.memory.pin({ namespace, memory_key: 'pinned', value: 'Production deploys run Tuesday and Thursday only; never Friday.' })
    await client.call('memory.set', { namespace, memory_key: 'locked', value: 'As it is.' })
    await client.memory.lock({ namespace, memory_key: 'locked', reason: 'Under audit.' })
    const { blacklist_id } = await client.blacklist.add({ namespace, pattern: 'nightfall', reason: 'secret' })
    sent = []
    const set = (memory_key: string, value: string, more = {}) =>
      client.memory.set({ namespace, memory_key, value, ...more }).catch((error: unknown) => error)
    const [, , pinned, locked, blocked, long, near, fine] = await Promise.all([
      set('f/0', FACTS[0] ?? ''), set('f/1', FACTS[1] ?? ''), set('pinned', 'Another value.'), set('locked', 'As it should be.'),
      set('blocked', 'Project nightfall.'), set('long', 'Longer than five.', { char_limit: 5 }), set('near', 'Production deploys run Monday to Thursday.'), set('f/2', FACTS[2] ?? ''),
    ]) // prettier-ignore
    expect(ops().slice(0, 3)).toEqual(['memory.set', 'memory.set', 'memory.bulk_set'])
    expect(pinned).toBeInstanceOf(PinnedConflict)
    expect(locked).toBeInstanceOf(Locked)
    expect(locked).toMatchObject({ fields: { mode: 'read_only', reason: 'Under audit.' } })
    expect(blocked).toBeInstanceOf(Blacklisted)
    expect(blocked).toMatchObject({ fields: { blacklist_id, reason: 'secret' } })
    expect(long).toBeInstanceOf(CharLimitExceeded)
    expect(near).toMatchObject({
      conflict_verdict: 'rejected',
      status: 'rejected',
      memory_id: '',
      version: 0n,
      coalesced: true,
      next: "memory.update(memory_key='pinned', value=…)",
    })
    expect(fine).toMatchObject({ status: 'active', coalesced: true })
  })

  test('one that comes back unchanged though it named more is sent again alone; a merge names its holder', async () => {
    const { client, namespace } = fresh()
    for (const at of [0, 1]) await client.call('memory.set', { namespace, memory_key: `f/${at}`, value: FACTS[at] })
    const plain = { namespace, memory_key: 'f/0', value: FACTS[0] ?? '' }
    const [, , same, tagged, merged] = await Promise.all([
      client.memory.set({ namespace, memory_key: 'f/3', value: FACTS[3] ?? '' }), client.memory.set({ namespace, memory_key: 'f/4', value: FACTS[4] ?? '' }),
      client.memory.set(plain), client.memory.set({ namespace, memory_key: 'f/1', value: FACTS[1] ?? '', tags: ['new'] }),
      client.memory.set({ namespace, memory_key: 'other', value: FACTS[0]?.toLowerCase() ?? '' }),
    ]) // prettier-ignore
    expect(same).toMatchObject({ noop: true, coalesced: true, status: 'active', conflict_verdict: 'clear', memory_key: 'f/0' })
    expect(tagged).toMatchObject({ noop: false })
    expect(await client.memory.get({ namespace, memory_key: 'f/1' })).toMatchObject({ tags: ['new'] })
    expect(merged).toMatchObject({
      conflict_verdict: 'merge',
      merged_into_key: 'f/0',
      noop: true,
      memory_id: same?.memory_id,
      version: same?.version,
    })
  })

  test('one bad entry does not fail the others', async () => {
    const { client, namespace } = fresh()
    const set = (at: number, more = {}) =>
      client.memory.set({ namespace, memory_key: `f/${at}`, value: FACTS[at] ?? '', ...more }).catch((error: unknown) => error)
    const answers = await Promise.all([set(0), set(1), set(2), set(3, { confidence: 2 }), set(4)])
    expect(answers.map((answer) => (answer as { status: unknown }).status)).toEqual(['active', 'active', 'active', 422, 'active'])
  })

  test('coalesce: false sends each set by itself', async () => {
    const { client, namespace } = fresh({ coalesce: false })
    await Promise.all(FACTS.map((value, at) => client.memory.set({ namespace, memory_key: `f/${at}`, value })))
    expect(ops()).toEqual(FACTS.map(() => 'memory.set'))
  })
})
