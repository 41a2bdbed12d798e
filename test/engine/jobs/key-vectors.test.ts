import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestEngine } from '../../helpers/engine.ts'

test('a bulk write leaves the vectors of its keys to a background pass, which makes each once', async () => {
  const loom = await openTestEngine()
  const axes = async (): Promise<string[]> => {
    const { rows } = await sql<{ at: string }>`SELECT m.memory_key || ' ' || e.axis AS at FROM loom.memory_embedding e
      JOIN loom.memory m USING (org, memory_id) ORDER BY 1`.execute(loom.database.reader)
    return rows.map(({ at }) => at)
  }
  const digest = `import:${'0'.repeat(24)}`
  await loom.call('memory.bulk_set', {
    entries: [
      { memory_key: 'kitchen/oven', value: 'It was repaired in May.' },
      { memory_key: digest, value: 'The lift is inspected each autumn.' },
    ],
  })
  expect(await axes()).toEqual([`${digest} value`, 'kitchen/oven value'])
  await loom.engine.runDueJobs()
  const whole = [`${digest} value`, 'kitchen/oven key', 'kitchen/oven value']
  expect(await axes()).toEqual(whole)
  const { results } = await loom.call('memory.search', { query: 'stove in the cookery room', search_mode: 'vector' })
  expect(results[0]?.memory_key).toBe('kitchen/oven')
  await loom.engine.runDueJobs()
  expect(await axes()).toEqual(whole)
  await loom.call('memory.set', { memory_key: 'kitchen/sink', value: 'A plumber comes on Friday.' })
  expect(await axes()).toEqual([`${digest} value`, 'kitchen/oven key', 'kitchen/oven value', 'kitchen/sink key', 'kitchen/sink value'])
  await loom.close()
})
