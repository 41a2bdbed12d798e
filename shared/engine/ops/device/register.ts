import type { Input, Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { deviceRegister as contract } from '../../../contract/ops/device/register.ts'
import { deviceFieldsOf, greeting, lockDeviceKey, seatedAnswer } from '../../access/devices.ts'
import { provenDeviceKey } from '../../access/secrets.ts'
import { defineWrite, type WriteContext } from '../../handler.ts'
import { deviceById, lockDeviceOfKey, refreshDevice, seatDevice, type DeviceRow } from '../../store/devices.ts'
import { tokenById } from '../../store/tokens.ts'

type Call = Input<typeof contract>
type Answer = Output<typeof contract>

const taken = (): LoomError =>
  new LoomError('ALREADY_EXISTS', 'This device_key is of another device. Make a key of its own for each device.', { field: 'device_key' })

const byOf = ({ actor, caller }: WriteContext) => ({ actor, requestId: caller.requestId, op: contract.name })

/** With the token of a device: takes what it says of itself now. */
async function refresh(input: Call, deviceKey: string, ofKey: DeviceRow | null, context: WriteContext): Promise<Answer> {
  const { tx, now, caller } = context
  const { org, device_id } = caller.claims
  if (ofKey && ofKey.device_id !== device_id) throw taken()
  const device = await deviceById(tx, org, device_id)
  if (!device || device.revoked_at !== null) throw new LoomError('UNAUTHENTICATED', 'The device of this token is no more. Pair it anew.')
  await refreshDevice(tx, device, deviceFieldsOf(input, deviceKey), byOf(context), now)
  return { device_id, token: '', claims: caller.claims, ...(await greeting(context, org)) }
}

export const deviceRegister = defineWrite(contract, {
  async run(input, context): Promise<Answer> {
    const { tx, now, caller } = context
    const { token_id, org, subject, kind, grants, agent, user_id, own_session, session_id, device_id } = caller.claims
    if (token_id === '' || org === '*') {
      const why = token_id === '' ? 'This call came without a token' : 'This token is of every org, and a device of one'
      throw new LoomError('FORBIDDEN', `${why}. Register a device with a token of its org.`, { field: 'org' })
    }
    const deviceKey = provenDeviceKey(input, token_id)
    await lockDeviceKey(context, org, deviceKey)
    const ofKey = await lockDeviceOfKey(tx, org, deviceKey)
    if (device_id !== '') return refresh(input, deviceKey, ofKey, context)
    const holder = ofKey && (await tokenById(tx, ofKey.token_id))
    // The same caller again, as after a lost answer: its device gets a new token.
    if (holder && (holder.subject !== subject || holder.kind !== kind)) throw taken()
    const claims = { org, subject, kind, grants, agent, user_id, own_session, session_id }
    return seatedAnswer(context, await seatDevice(tx, ofKey, deviceFieldsOf(input, deviceKey), claims, byOf(context), now))
  },
})
