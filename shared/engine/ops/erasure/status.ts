import type { Output } from '../../../contract/declare.ts'
import type { ErasureStatus } from '../../../contract/erasure.ts'
import { erasureStatus as contract } from '../../../contract/ops/erasure/status.ts'
import { pendingDevices, receiptsOf } from '../../erasure/devices.ts'
import { censusView, currentStep, shownReason } from '../../erasure/saga-view.ts'
import { sagaById, stepsOf } from '../../erasure/sagas.ts'
import { isAdminOf, mayRead } from '../../erasure/sight.ts'
import { defineRead } from '../../handler.ts'
import { iso } from '../../store/row-view.ts'

type Answer = Output<typeof contract>

/** What is answered alike for what is not there and what is not the caller's. */
const nothing = (erasure_id: string): Answer => ({
  found: false,
  erasure_id,
  org: null,
  scope_type: null,
  scope_value: null,
  requester: null,
  status: null,
  current_step: null,
  requested_at: null,
  completed_at: null,
  failure_reason: null,
  residue_count: 0,
  residue: {},
  verified_at: null,
  census: null,
  purge: false,
  devices_pending: [],
  receipts: [],
})

export const erasureStatus = defineRead(contract, async ({ erasure_id }, { db, caller }): Promise<Answer> => {
  const { org } = caller.claims
  const saga = org === '*' || org === '' ? null : await sagaById(db, erasure_id, org)
  if (!saga || !mayRead(caller, saga)) return nothing(erasure_id)
  const steps = await stepsOf(db, org, erasure_id)
  const isAdmin = isAdminOf(caller, org)
  return {
    found: true,
    erasure_id,
    org,
    scope_type: saga.scope_type as Answer['scope_type'],
    scope_value: saga.scope_value,
    requester: saga.requester,
    status: saga.status as ErasureStatus,
    current_step: currentStep(saga, steps.filter((step) => step.done_at !== null).length),
    requested_at: saga.requested_at.toISOString(),
    completed_at: iso(saga.completed_at),
    failure_reason: saga.status === 'failed' ? shownReason(saga.failure_reason) : null,
    ...censusView(saga),
    purge: saga.purge,
    devices_pending: isAdmin ? await pendingDevices(db, saga) : [],
    receipts: isAdmin ? await receiptsOf(db, saga) : [],
  }
})
