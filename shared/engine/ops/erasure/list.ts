import type { Output } from '../../../contract/declare.ts'
import type { ErasureStatus } from '../../../contract/erasure.ts'
import { erasureList as contract } from '../../../contract/ops/erasure/list.ts'
import { pendingDevices } from '../../erasure/devices.ts'
import { censusView, currentStep, shownReason } from '../../erasure/saga-view.ts'
import { isAdminOf, sagasInSight } from '../../erasure/sight.ts'
import { defineRead } from '../../handler.ts'
import { iso } from '../../store/row-view.ts'

const MOST = 500

export const erasureList = defineRead(contract, async ({ limit, status }, { db, caller, identity }): Promise<Output<typeof contract>> => {
  const { org } = identity
  const isAdmin = isAdminOf(caller, org)
  const sagas = await sagasInSight(db, caller, org, status, Math.min(limit, MOST))
  const rows: Output<typeof contract>['rows'] = []
  for (const saga of sagas) {
    rows.push({
      erasure_id: saga.erasure_id,
      scope_type: saga.scope_type,
      scope_value: saga.scope_value,
      requester: saga.requester,
      urgency: saga.urgency,
      purge: saga.purge,
      status: saga.status as ErasureStatus,
      current_step: currentStep(saga, saga.steps_done),
      attempts: saga.attempts,
      requested_at: saga.requested_at.toISOString(),
      completed_at: iso(saga.completed_at),
      failure_reason: saga.status === 'failed' ? shownReason(saga.failure_reason) : null,
      residue_count: censusView(saga).residue_count,
      devices_pending: isAdmin ? (await pendingDevices(db, saga)).length : null,
    })
  }
  return { rows }
})
