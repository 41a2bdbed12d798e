import type { Input } from '../../../contract/declare.ts'
import { conflictsResolve as contract } from '../../../contract/ops/conflicts/resolve.ts'
import { defineWrite, type CallContext } from '../../handler.ts'
import { namedPlace } from '../../identity.ts'
import { assessSettlement } from '../../write/settling/assess-settlement.ts'
import { settleOnePair, type SettleCall } from '../../write/settling/settle-pair.ts'

const callOf = (input: Input<typeof contract>, { identity, caller, parts }: CallContext): SettleCall => ({
  op: contract.name,
  target: input,
  resolution: input.resolution,
  value: input.value,
  note: input.reason,
  ifMatch: input.if_match_sha256,
  peerIfMatch: input.peer_if_match_sha256,
  dryRun: input.dry_run,
  place: namedPlace(identity, caller, parts.mode === 'single'),
  dedup: false,
})

export const conflictsResolve = defineWrite(contract, {
  exclusive: (_input, { identity }) => `${identity.org}/${identity.namespace}`,
  assess: (input, _prepared: undefined, context) => assessSettlement(callOf(input, context), context),
  run: (input, context, _prepared, assessed) => settleOnePair(callOf(input, context), assessed, context),
})
