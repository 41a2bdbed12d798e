import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestEngine } from '../../helpers/engine.ts'

test('a write leaves the vector of its key to a background pass, which makes each once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'loom-keys-'))
  let loom = await openTestEngine({ folder })
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
  expect(await axes()).toEqual([...whole, 'kitchen/sink value'])
  await loom.close()
  // A process that ended before its pass leaves the rest to the next one's.
  loom = await openTestEngine({ folder })
  await loom.engine.runDueJobs(new Date(Date.now() + 3_600_000))
  expect(await axes()).toEqual([...whole, 'kitchen/sink key', 'kitchen/sink value'])
  await loom.close()
  await rm(folder, { recursive: true })
})
