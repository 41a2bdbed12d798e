import { memoryPin as contract } from '../../../contract/ops/memory/pin.ts'
import { defineWrite } from '../../handler.ts'
import { assessClaim, prepareClaim, writeClaim } from '../../write/set-claim.ts'

export const memoryPin = defineWrite(contract, {
  prepare: prepareClaim,
  exclusive: (_input, { identity }) => `${identity.org}/${identity.namespace}`,
  assess: assessClaim,
  run: (input, context, prepared, assessment) => writeClaim('memory.pin', input, context, prepared, assessment),
})
