import { z } from 'zod'
import { JsonValue, Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const settingsSet = declareOp({
  name: 'settings.set',
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
  summary: 'Changes settings of this desktop, all that are named or none.',
  input: z.object({ values: z.record(Str.max(200), JsonValue).describe('Setting to its new value; null sets it back to its default.') }),
  output: z.object({ changed: z.array(z.string()), restart_needed: z.boolean() }),
  errors: [],
  example: { input: { values: { 'backup.keep': 14, 'ui.theme': null } } },
})
