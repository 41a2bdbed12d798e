import type { Input } from '../../../contract/declare.ts'
import { conflictsResolve as contract } from '../../../contract/ops/conflicts/resolve.ts'
import { defineWrite } from '../../handler.ts'
import { assessSettlement } from '../../write/settling/assess-settlement.ts'
import { settleOnePair, type SettleCall } from '../../write/settling/settle-pair.ts'

const callOf = (input: Input<typeof contract>): SettleCall => ({
  op: contract.name,
  target: input,
  resolution: input.resolution,
  value: input.value,
  note: input.reason,
  ifMatch: input.if_match_sha256,
  peerIfMatch: input.peer_if_match_sha256,
  dryRun: input.dry_run,
  dedup: false,
})

export const conflictsResolve = defineWrite(contract, {
  exclusive: (_input, { identity }) => `${identity.org}/${identity.namespace}`,
  assess: (input, _prepared: undefined, context) => assessSettlement(callOf(input), context),
  run: (input, context, _prepared, assessed) => settleOnePair(callOf(input), assessed, context),
})
