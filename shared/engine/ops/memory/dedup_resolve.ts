import type { Input } from '../../../contract/declare.ts'
import { memoryDedupResolve as contract } from '../../../contract/ops/memory/dedup_resolve.ts'
import { defineWrite, type CallContext } from '../../handler.ts'
import { namedPlace } from '../../identity.ts'
import { assessSettlement } from '../../write/settling/assess-settlement.ts'
import { settleOnePair, type SettleCall } from '../../write/settling/settle-pair.ts'

/** The canonical row is the peer that the duplicate was judged against. */
const RESOLUTIONS = { canonical: 'keep_peer', duplicate: 'keep_row', both: 'keep_both' } as const

const callOf = (input: Input<typeof contract>, { identity, caller, parts }: CallContext): SettleCall => ({
  op: contract.name,
  target: input,
  resolution: RESOLUTIONS[input.keep],
  note: input.reason,
  ifMatch: '',
  peerIfMatch: '',
  dryRun: input.dry_run,
  place: namedPlace(identity, caller, parts.mode === 'single'),
  dedup: true,
})

export const memoryDedupResolve = defineWrite(contract, {
  exclusive: (_input, { identity }) => `${identity.org}/${identity.namespace}`,
  assess: (input, _prepared: undefined, context) => assessSettlement(callOf(input, context), context),
  run: (input, context, _prepared, assessed) => settleOnePair(callOf(input, context), assessed, context),
})
