import { memorySet as contract } from '../../../contract/ops/memory/set.ts'
import { defineWrite } from '../../handler.ts'
import { assessClaim, prepareClaim, writeClaim } from '../../write/set-claim.ts'

export const memorySet = defineWrite(contract, {
  prepare: prepareClaim,
  exclusive: (_input, { identity }) => `${identity.org}/${identity.namespace}`,
  assess: assessClaim,
  run: (input, context, prepared, assessment) => writeClaim('memory.set', input, context, prepared, assessment),
})
