import { procedureRecord as contract } from '../../../contract/ops/procedure/record.ts'
import { defineShaped } from '../../write/shaped/handler.ts'

export const procedureRecord = defineShaped(contract, { after: async (_input, { answer }) => answer })
