import { expect, test } from 'vitest'
import { NO_MODELS, openTestEngine } from '../../helpers/engine.ts'

test('an engine runs its passes by itself, beside its calls, and closes while they run', { timeout: 60_000 }, async () => {
  const loom = await openTestEngine({ models: NO_MODELS, jobs: 'timed' })
  try {
    await loom.call('memory.set', { memory_key: 'brief', value: 'The badge is valid for a second.', ttl_seconds: 1 })
    const headStatus = async () => (await loom.call('memory.history', { memory_key: 'brief' })).head_status
    await expect.poll(headStatus, { timeout: 20_000, interval: 100 }).toBe('tombstoned')
    await expect
      .poll(async () => (await loom.call('audit.list', { verify: true })).chain?.seals, { timeout: 10_000, interval: 100 })
      .toBeGreaterThan(0)
  } finally {
    const started = performance.now()
    await loom.close()
    expect(performance.now() - started).toBeLessThan(5000)
  }
})
