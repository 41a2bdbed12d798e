import { z } from 'zod'
import { AgentName, Name, Str, SubjectName } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const memoryClear = declareOp({
  name: 'memory.clear',
  group: 'memory',
  kind: 'write',
  role: 'admin',
  idempotent: true,
  audited: true,
  toolset: 'named',
  rate: 'admin',
  sync: 'replay',
  host: 'engine',
  identity: 'namespace',
  summary: 'Tombstones every row of one agent, or of one user, in the namespace.',
  input: z.object({
    org: Name.optional(),
    namespace: Name.optional(),
    agent: AgentName.optional(),
    user_id: SubjectName.optional(),
    confirm_subject: Str.min(1).max(200).describe('Equal to the agent or the user_id given: the one it equals is cleared.'),
    subject_type: z.enum(['agent', 'user']).optional().describe('Only when agent and user_id are equal.'),
    reason: Str.max(500).default(''),
    dry_run: z.boolean().default(false),
  }),
  output: z.object({
    subject_type: z.enum(['agent', 'user']),
    subject: z.string(),
    cleared: z.int(),
    refused: z.array(
      z.object({
        memory_key: z.string(),
        memory_id: z.string(),
        agent: z.string(),
        user_id: z.string(),
        session_id: z.string(),
        code: z.string(),
      }),
    ),
    refused_count: z.int(),
    dry_run: z.boolean(),
  }),
  errors: [],
})
