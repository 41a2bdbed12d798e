import { z } from 'zod'
import { declareOp } from '../../declare.ts'

export const syncDisconnect = declareOp({
  name: 'sync.disconnect',
  group: 'admin',
  kind: 'write',
  role: 'platform_admin',
  idempotent: true,
  audited: true,
  toolset: 'none',
  rate: 'admin',
  sync: 'local',
  host: 'desktop',
  identity: 'none',
  summary: "Ends the connection with the team server; the org's rows stay here unless keep_rows is false.",
  input: z.object({
    keep_rows: z.boolean().default(true).describe("false deletes the org's rows on this machine."),
    discard_queue: z.boolean().default(false).describe('Drop changes that the server has not got.'),
  }),
  output: z.object({ disconnected: z.boolean(), rows_removed: z.int() }),
  errors: ['IN_PROGRESS'],
})
