import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { openTestEngine } from '../../helpers/engine.ts'
import { scratchDatabase } from '../../helpers/postgres.ts'
import { needs, postgres } from '../../helpers/requirements.ts'

describe('memory.delete_version on Postgres', needs(postgres()), () => {
  it('waits for the write lock of the key, and sees what was written meanwhile [CHG026]', async () => {
    const scratch = await scratchDatabase()
    const loom = await openTestEngine({ postgresUrl: scratch.url })
    const other = new pg.Client({ connectionString: scratch.url })
    try {
      await other.connect()
      const { version } = await loom.call('memory.set', { memory_key: 'held', value: 'The lock of this key is held elsewhere.' })
      // Another process in the middle of a write of this key.
      await other.query('BEGIN')
      await other.query(`SELECT pg_advisory_xact_lock(hashtextextended('dev/local/held', 0))`)
      await other.query(`UPDATE loom.memory SET version = version + 1 WHERE memory_key = 'held'`)
      let settled = false
      const deleting = loom.call('memory.delete_version', { memory_key: 'held', version: version.toString() }).finally(() => {
        settled = true
      })
      await new Promise((resolve) => setTimeout(resolve, 300))
      expect(settled).toBe(false)
      await other.query('COMMIT')
      expect(await deleting).toMatchObject({ found: true, tombstoned: false, reason: 'version_changed', version: version + 1n })
    } finally {
      await other.end()
      await loom.close()
      await scratch.drop()
    }
  })
})
