import { expect } from 'vitest'
import { onEveryTransport, type OpCall } from '../helpers/transports.ts'

/** Webhooks: the main promise of each operation, the same on every road. Nothing is sent: there is no secret. */

const namespace = 'chat'
const secret_ref = 'LOOM_WEBHOOK_SECRET_TEAM__CHAT'
const register = (call: OpCall) => call('webhook.register', { namespace, url: 'https://93.184.216.34/loom', secret_ref })

onEveryTransport('webhook.register', 'registers a URL, and replaces one that is there', async (call) => {
  const { webhook_id } = await register(call)
  expect(await register(call)).toMatchObject({ webhook_id, replaced: true, secret_present: false, pending: 0 })
  const inside = call('webhook.register', { namespace, url: 'https://127.0.0.1/loom', secret_ref })
  await expect(inside).rejects.toMatchObject({ code: 'ADDRESS_REFUSED', status: 422, fields: { field: 'url' } })
})

onEveryTransport('webhook.list', 'names the webhooks of the namespace', async (call) => {
  const { webhook_id } = await register(call)
  expect((await call('webhook.list', { namespace })).webhooks).toMatchObject([{ webhook_id, secret_ref, last_status: null }])
})

onEveryTransport('webhook.remove', 'removes one, once', async (call) => {
  const { webhook_id } = await register(call)
  expect(await call('webhook.remove', { namespace, webhook_id })).toMatchObject({ webhook_id, removed: true })
  await expect(call('webhook.remove', { namespace, webhook_id })).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 })
})

onEveryTransport('webhook.deliveries', 'lists what became of the events', async (call) => {
  const { webhook_id } = await register(call)
  await call('memory.set', { namespace, agent: 'scribe', memory_key: 'told', value: `A value at ${performance.now()}.` })
  expect((await call('webhook.deliveries', { namespace, webhook_id })).rows[0]).toMatchObject({ webhook_id, state: 'pending', attempts: 0 })
})

onEveryTransport('webhook.test', 'says what the receiver answered, or why it was not asked', async (call) => {
  const { webhook_id } = await register(call)
  expect(await call('webhook.test', { namespace, webhook_id })).toMatchObject({ delivered: false, status: null, error: 'no usable secret' })
})
