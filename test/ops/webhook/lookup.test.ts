import { afterAll, beforeAll, expect, it } from 'vitest'
import type { KyselyPlugin } from 'kysely'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import { ADMIN } from '../../helpers/push.ts'
import { CHAT, openTeam, queued, type Team } from '../../helpers/webhooks.ts'

/** Fails the one read that tells which keys of a batch hold their value already. */
const lookup = { fails: false, failed: 0 }
const faulty: KyselyPlugin = {
  transformQuery({ node }) {
    if (
      lookup.fails &&
      node.kind === 'RawNode' &&
      node.sqlFragments.some((part) => part.includes('memory_key, content_sha256 FROM loom.memory'))
    ) {
      lookup.failed++
      throw new Error('the look-up broke')
    }
    return node
  },
  transformResult: ({ result }) => Promise.resolve(result),
}

let team: Team
beforeAll(async () => {
  team = await openTeam({}, { reading: (reader) => reader.withPlugin(faulty) })
  await team.hook()
  for (const key of ['kettle', 'toaster']) await team.set(key, `The ${key} stands in the kitchen.`)
})
afterAll(() => team.close())

async function told(entries: CallInputOf<'memory.bulk_set'>['entries']): Promise<string[]> {
  team.clock.now += 1000
  await team.loom.database.reader.deleteFrom('memory_webhook_outbox').where('org', '=', 'acme').execute()
  const answer = await team.loom.call('memory.bulk_set', { entries }, { ...ADMIN, fills: CHAT })
  expect(answer).toMatchObject({ failed: [], refused: [] })
  return (await queued(team)).map(({ type, memory_key }) => `${type} ${memory_key}`)
}

it('a batch whose live keys could not be looked up is written all the same, its revisions told as written [WHK041]', async () => {
  lookup.fails = true
  const entries = [
    { memory_key: 'kettle', value: 'The kettle went to the attic.' },
    { memory_key: 'toaster', value: 'The toaster stands in the kitchen.', tags: ['same'] },
    { memory_key: 'fridge', value: 'The fridge hums at night.' },
  ]
  expect(await told(entries)).toEqual(['memory.written kettle', 'memory.written fridge'])
  expect(lookup.failed).toBe(1)
  lookup.fails = false
  expect(await team.loom.call('memory.get', { ...CHAT, memory_key: 'kettle' }, ADMIN)).toMatchObject({ value: entries[0]?.value })
  expect(await told([{ memory_key: 'kettle', value: 'The kettle was sold in May.' }])).toEqual(['memory.revised kettle'])
})
