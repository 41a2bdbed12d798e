import type { Output } from '../../../contract/declare.ts'
import type { Receipt } from '../../../contract/erasure.ts'
import { LoomError } from '../../../contract/errors.ts'
import { erasureReceipt as contract } from '../../../contract/ops/erasure/receipt.ts'
import { devicesOver } from '../../erasure/devices.ts'
import { isSigned } from '../../erasure/receipt.ts'
import { sagaById, scopeOf } from '../../erasure/sagas.ts'
import { storesOf } from '../../erasure/stores.ts'
import { defineWrite, type WriteContext } from '../../handler.ts'
import { deviceById } from '../../store/devices.ts'

type Answer = Output<typeof contract>

/** Why a receipt is not taken; "" for a clean one, `residue` for one that is stored all the same. */
async function faultOf(receipt: Receipt, { tx, caller }: WriteContext): Promise<Answer['reason']> {
  const { org, device_id } = caller.claims
  if (receipt.device_id !== device_id) return 'not_this_device'
  const saga = await sagaById(tx, receipt.erasure_id, org)
  if (!saga || saga.seq !== BigInt(receipt.seq)) return 'unknown_erasure'
  const covering = await devicesOver(tx, { org, namespaces: saga.namespaces, userId: saga.user_id }, null)
  if (!covering.some((device) => device.device_id === device_id)) return 'unknown_erasure'
  if (saga.purge !== receipt.purge) return 'purge_mismatch'
  const keys = new Set(storesOf(scopeOf(saga), 'desktop').map((store) => store.key))
  if ([...keys].some((key) => receipt.census[key] === undefined)) return 'incomplete_census'
  const device = await deviceById(tx, org, device_id)
  if (!device || !isSigned(receipt, device.device_key)) return 'bad_signature'
  return Object.values(receipt.census).every((left) => left === 0) ? '' : 'residue'
}

export const erasureReceipt = defineWrite(contract, {
  async run({ receipt }, context): Promise<Answer> {
    const { tx, caller, now } = context
    const { org, device_id } = caller.claims
    if (device_id === '') throw new LoomError('FORBIDDEN', 'erasure.receipt needs the token of a device.')
    const reason = await faultOf(receipt, context)
    if (reason !== '' && reason !== 'residue') return { accepted: false, reason }
    const { erasure_id, purge, app_version, signature } = receipt
    const told = {
      purge,
      rows_affected: BigInt(receipt.rows_affected),
      queue_dropped: BigInt(receipt.queue_dropped),
      census: JSON.stringify(receipt.census),
      applied_at: new Date(receipt.applied_at),
      app_version,
      signature,
      clean: reason === '',
      received_at: now,
    }
    await tx
      .insertInto('erasure_receipt')
      .values({ org, erasure_id, seq: BigInt(receipt.seq), device_id, ...told })
      .onConflict((conflict) => conflict.columns(['org', 'erasure_id', 'seq', 'device_id']).doUpdateSet(told))
      .execute()
    return { accepted: reason === '', reason }
  },
})
