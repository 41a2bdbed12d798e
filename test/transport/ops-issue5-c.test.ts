import { expect } from 'vitest'
import { onEveryTransport } from '../helpers/transports.ts'

/** Team sync of a desktop: the main promise of each operation, the same on every road. MCP is offered what only reads, and decides. */

const REFUSED = { code: 'FORBIDDEN' }

onEveryTransport('sync.status', 'says that nothing is connected', async (call) => {
  expect(await call('sync.status', {})).toMatchObject({ state: 'off', server_url: '', queued: 0, inbox: 0, shapes: [], error: null })
})

onEveryTransport('sync.inbox', 'is empty on a desktop that is alone', async (call) => {
  expect(await call('sync.inbox', {})).toEqual({ items: [], counts: {}, next_cursor: null })
})

onEveryTransport('sync.inbox_decide', 'names what is not there', async (call) => {
  await expect(call('sync.inbox_decide', { item_id: 's_none', choice: 'accept' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

onEveryTransport('sync.connect', 'refuses plain http past this machine, and is not for agents', async (call) => {
  const refused = await call('sync.connect', { server_url: 'http://example.com', code: 'AAAA-AAAA-AAAA' }).catch((error: unknown) => error)
  expect(['FORBIDDEN', 'INVALID_ARGUMENT']).toContain((refused as { code: string }).code)
})

onEveryTransport('sync.disconnect', 'has nothing to end, and is not for agents', async (call) => {
  const left = await call('sync.disconnect', {}).catch((error: unknown) => error)
  if (left instanceof Error) expect(left).toMatchObject(REFUSED)
  else expect(left).toEqual({ disconnected: false, rows_removed: 0 })
})
