import type { Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { pairRedeem as contract } from '../../../contract/ops/pair/redeem.ts'
import type { Claims } from '../../../contract/ops/engine/info.ts'
import { deviceFieldsOf, lockDeviceKey, seatedAnswer } from '../../access/devices.ts'
import { canonicalPairCode, provenDeviceKey } from '../../access/secrets.ts'
import { defineWrite, type WriteContext } from '../../handler.ts'
import { deviceById, lockDeviceOfKey, seatDevice, type DeviceRow } from '../../store/devices.ts'
import { lockPairCode, markRedeemed, type PairCodeRow } from '../../store/pair-codes.ts'

/** One refusal for all: whoever tries codes learns nothing. */
const noCode = (): LoomError =>
  new LoomError('NOT_FOUND', 'This pairing code is unknown, expired or used. Ask an admin for a new one.', { field: 'code' })

/** The device that the code has made or, of a first redemption, the one that the machine was before; null for a new one. */
async function deviceOf(context: WriteContext, code: PairCodeRow, deviceKey: string): Promise<DeviceRow | null> {
  const { tx } = context
  if (code.redeemed_at === null) {
    await lockDeviceKey(context, code.org, deviceKey)
    return lockDeviceOfKey(tx, code.org, deviceKey)
  }
  const device = code.device_key === deviceKey ? await deviceById(tx, code.org, code.device_id) : null
  if (!device || device.revoked_at !== null) throw noCode()
  return device
}

export const pairRedeem = defineWrite(contract, {
  async run(input, context): Promise<Output<typeof contract>> {
    const { tx, now, caller } = context
    const text = canonicalPairCode(input.code)
    if (text === null) throw noCode()
    const deviceKey = provenDeviceKey(input, text)
    const code = await lockPairCode(tx, text, now)
    if (!code) throw noCode()
    const device = await deviceOf(context, code, deviceKey)
    const { org, subject, user_id, own_session, session_id } = code
    const claims = {
      org,
      subject,
      kind: code.kind as Claims['kind'],
      grants: code.grants as Claims['grants'],
      user_id,
      own_session,
      session_id,
    }
    const by = { actor: `${code.kind}:${subject}`, requestId: caller.requestId, op: contract.name }
    const seated = await seatDevice(tx, device, deviceFieldsOf(input, deviceKey), claims, by, now)
    await markRedeemed(tx, code, { device_id: seated.device_id, device_key: deviceKey }, now)
    return seatedAnswer(context, seated)
  },
})
