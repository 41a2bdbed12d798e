import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Embedder, Models } from '../../../shared/engine/ports.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { testModels } from '../../helpers/models.ts'

/** Texts that the model does not read until it is let. */
const SLOW = 'Whales'

/** Something that is waited for until it is opened. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

let loom: TestEngine
let asked = gate()
let proceed = gate()

beforeAll(async () => {
  const real = await testModels()
  const embedder = real.embedder as Embedder
  const embed: Embedder['embed'] = async (texts) => {
    if (texts.some((text) => text.includes(SLOW))) {
      asked.open()
      await proceed.opened
    }
    return embedder.embed(texts)
  }
  const models: Models = Object.create(real, { embedder: { value: Object.create(embedder, { embed: { value: embed } }) } })
  loom = await openTestEngine({ models })
})
afterAll(() => loom.close())

/** Begins a write, runs what comes while its text is being read, and lets it end. */
async function during<T>(write: () => Promise<T>, meanwhile: () => Promise<unknown>): Promise<T> {
  ;[asked, proceed] = [gate(), gate()]
  const writing = write()
  await asked.opened
  await meanwhile()
  proceed.open()
  return writing
}

const CLAIM = `The ${SLOW} team releases every Tuesday and Thursday.`

test('a claim is judged against what was written while the model read it', async () => {
  const late = await during(
    () => loom.call('memory.set', { memory_key: 'whales/late', value: CLAIM, namespace: 'judged' }),
    async () => {
      // Without a vector, by its words alone.
      await loom.call('memory.set', { memory_key: 'whales/first', value: CLAIM.replace(SLOW, 'whales').toLowerCase(), namespace: 'judged' })
    },
  )
  expect(late.conflict_verdict).not.toBe('clear')
  expect(late.peers[0]?.memory_key).toBe('whales/first')
})

test('what was deleted while the model read its next value is written anew, not on top of it', async () => {
  const namespace = 'deleted'
  const first = await loom.call('memory.set', { memory_key: 'pod', value: 'Dolphins swim in pods.', tags: ['sea'], namespace })
  const second = await during(
    () => loom.call('memory.set', { memory_key: 'pod', value: CLAIM, namespace }),
    () => loom.call('memory.delete', { memory_key: 'pod', namespace }),
  )
  expect(second).toMatchObject({ memory_id: first.memory_id, status: 'active', noop: false })
  // A live row would have kept its tags.
  expect(await loom.call('memory.get', { memory_key: 'pod', namespace })).toMatchObject({ found: true, tags: [] })
})

test('a precondition is of the row as it is when it is written', async () => {
  const namespace = 'matched'
  const first = await loom.call('memory.set', { memory_key: 'reef', value: 'The reef is red.', namespace })
  await expect(
    during(
      () => loom.call('memory.set', { memory_key: 'reef', value: CLAIM, if_match_sha256: first.content_sha256, namespace }),
      () => loom.call('memory.set', { memory_key: 'reef', value: 'The reef is blue.', namespace }),
    ),
  ).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' })
})

test('a pattern that came while the model read the value stops it', async () => {
  const namespace = 'blocked'
  await expect(
    during(
      () => loom.call('memory.set', { memory_key: 'song', value: CLAIM, namespace }),
      () => loom.call('blacklist.add', { pattern: SLOW, pattern_type: 'substring', reason: 'too large', namespace }),
    ),
  ).rejects.toMatchObject({ code: 'BLACKLISTED' })
})
