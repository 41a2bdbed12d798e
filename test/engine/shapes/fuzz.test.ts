import { test } from 'vitest'
import { fuzz } from './fuzz.ts'
import { openShapeServer } from './shape-server.ts'

test('writers, followers, ended handles and restarts at once: every follower ends with the rows of its token', async () => {
  const server = await openShapeServer({ chunkBytes: 3000, longPollMs: 1000, pollMs: 60 })
  try {
    await fuzz(server, 20_261_130, 7000)
  } finally {
    await server.close()
  }
}, 60_000)
