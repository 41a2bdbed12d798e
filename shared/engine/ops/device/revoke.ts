import type { Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { deviceRevoke as contract } from '../../../contract/ops/device/revoke.ts'
import { devicesInSight } from '../../access/sight.ts'
import { defineWrite } from '../../handler.ts'
import { isPlatformAdmin } from '../../rights.ts'
import { endDevice, listDevices } from '../../store/devices.ts'
import { orgOfDevice } from '../../store/tokens.ts'

export const deviceRevoke = defineWrite(contract, {
  async run({ device_id, wipe, reason }, context): Promise<Output<typeof contract>> {
    const { tx, caller, actor, now, parts } = context
    const { claims } = caller
    const org = isPlatformAdmin(claims) ? ((await orgOfDevice(tx, device_id)) ?? claims.org) : claims.org
    const seen = devicesInSight(claims, org)
    const [device] = await listDevices(tx, org, { seen, revoked: true, after: null, limit: 1, deviceId: device_id })
    if (!device)
      throw new LoomError('NOT_FOUND', 'There is no such device among those that device.list names to this caller.', { field: 'device_id' })
    const revoked = await endDevice(tx, device, wipe, { actor, requestId: caller.requestId, op: contract.name, reason }, now)
    context.afterCommit(() => parts.erasures.noteEnded())
    return { device_id, revoked }
  },
})
