import { expect } from 'vitest'
import { newDeviceKey } from '../helpers/device-key.ts'
import { onEveryTransport, type OpCall } from '../helpers/transports.ts'

/** Tokens, pairing and devices: the main promise of each, the same on every road. MCP is offered device.list alone. */

/** The answer, or null over MCP, where the operation is refused by name. */
async function unlessMcp<T extends object>(op: string, answer: Promise<T>): Promise<T | null> {
  const got = await answer.catch((error: unknown) => error)
  if (!(got instanceof Error)) return got as T
  expect(got).toMatchObject({ code: 'FORBIDDEN', fields: { operation: op } })
  return null
}

const bot = { subject: 'bot', kind: 'process', grants: { chat: 'writer' } } as const
const pair = (call: OpCall) => unlessMcp('pair.create', call('pair.create', { subject: 'bob', grants: { chat: 'viewer' } }))

async function device(call: OpCall) {
  const made = await pair(call)
  if (!made) return null
  const key = newDeviceKey()
  return call('pair.redeem', { code: made.code, device_name: 'bob-mbp', device_key: key.device_key, proof: key.prove(made.code) })
}

onEveryTransport('token.mint', 'issues a token in the org of the caller', async (call) => {
  const made = await unlessMcp('token.mint', call('token.mint', bot))
  if (made) expect(made).toMatchObject({ token: expect.stringMatching(/^loom_/) as string, claims: { org: 'team', subject: 'bot' } })
})

onEveryTransport('token.list', 'names the tokens of the org, without secrets', async (call) => {
  const made = await unlessMcp('token.mint', call('token.mint', bot))
  const listed = await unlessMcp('token.list', call('token.list', {}))
  if (made && listed)
    expect(listed.tokens[0]).toMatchObject({ token_id: made.claims.token_id, created_by: 'human:admin', revoked_at: null })
})

onEveryTransport('token.revoke', 'ends a token, once', async (call) => {
  const made = await unlessMcp('token.mint', call('token.mint', bot))
  const token_id = made?.claims.token_id ?? ''
  const revoked = await unlessMcp('token.revoke', call('token.revoke', { token_id }))
  if (!revoked) return
  expect(revoked).toEqual({ token_id, revoked: true })
  expect(await call('token.revoke', { token_id })).toEqual({ token_id, revoked: false })
})

onEveryTransport('pair.create', 'makes a code and a link', async (call) => {
  const made = await pair(call)
  if (made) expect(made.link).toBe(`loom://pair?server=http%3A%2F%2Flocalhost%3A7788&code=${made.code}`)
})

onEveryTransport('pair.redeem', 'pairs a device, and takes a code once', async (call) => {
  const made = await pair(call)
  const code = made?.code ?? '0000-0000-0000'
  const redeem = () => {
    const key = newDeviceKey()
    return call('pair.redeem', { code, device_name: 'd', device_key: key.device_key, proof: key.prove(code) })
  }
  const paired = await unlessMcp('pair.redeem', redeem())
  if (!paired) return
  expect(paired).toMatchObject({
    claims: { org: 'team', subject: 'bob', grants: { chat: 'viewer' }, device_id: paired.device_id },
    protocol: 1,
  })
  await expect(redeem()).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 })
})

onEveryTransport('device.register', 'makes a device of the caller, whose proof is over its token', async (call) => {
  const key = newDeviceKey()
  const { principal } = await call('engine.info', {})
  const fields = { device_name: 'box', device_key: key.device_key, proof: key.prove(principal.token_id) }
  const made = await unlessMcp('device.register', call('device.register', fields))
  if (made) expect(made.claims).toMatchObject({ subject: 'admin', grants: { '*': 'org_admin' }, device_id: made.device_id })
})

onEveryTransport('device.list', 'names the devices of the org', async (call) => {
  const paired = await device(call)
  const { devices } = await call('device.list', {})
  if (paired) expect(devices[0]).toMatchObject({ device_id: paired.device_id, name: 'bob-mbp', subject: 'bob', erasure_seq: 0 })
})

onEveryTransport('device.revoke', 'ends a device, once', async (call) => {
  const paired = await device(call)
  const device_id = paired?.device_id ?? ''
  const revoked = await unlessMcp('device.revoke', call('device.revoke', { device_id, wipe: true }))
  if (!revoked) return
  expect(revoked).toEqual({ device_id, revoked: true })
  expect(await call('device.revoke', { device_id, wipe: true })).toEqual({ device_id, revoked: false })
})
