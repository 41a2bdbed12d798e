import { z } from 'zod'
import {
  ConflictVerdict,
  DateTimeIn,
  Entity,
  JsonValue,
  MemoryKey,
  MemoryType,
  OnExpire,
  Peer,
  Sensitivity,
  Status,
  Str,
  Tags,
  Triple,
  U64,
  id5,
} from '../../common.ts'
import { declareOp } from '../../declare.ts'

/** The fields of a claim that memory.set, memory.pin and their kin share. */
export const claimFields = {
  run_id: Str.max(200).default(''),
  memory_key: MemoryKey.describe('Readable key of one fact, <scope>/<kind>/<id>, such as deploy/window/prod.'),
  value: JsonValue.describe('The claim, in plain text; any JSON value is taken.'),
  memory_type: MemoryType.optional().describe('semantic when left out; episodic and profile rows are not searched.'),
  tags: Tags.optional(),
  entities: z.array(Entity).max(64).optional().describe('Named things; stored lowercased.'),
  relations: z.array(Triple).max(64).optional().describe('[subject, predicate, object] triples.'),
  files: z.array(Str.min(1).max(1024)).max(32).optional().describe('Repository files the fact is about; detected when left out.'),
  confidence: z.number().min(0).max(1).optional(),
  source_trace: Str.max(1024).optional(),
  source_class: z.enum(['external', 'imported', 'derived']).optional().describe('Only a downgrade; stamped from the token when left out.'),
  source_resource_id: Str.max(2048).optional(),
  ttl_seconds: z.int().min(1).max(3_153_600_000).optional(),
  clear_expiry: z.boolean().default(false),
  on_expire: OnExpire.optional(),
  expire_reason: Str.max(500).optional(),
  valid_at: DateTimeIn.nullable().optional(),
  valid_to: DateTimeIn.nullable().optional(),
  pinned: z.boolean().default(false),
  classify: z.boolean().default(false).describe('Store a procedure body as procedural when memory_type is left out.'),
  if_match_sha256: Str.max(64).default('').describe('content_sha256 of the row as last read; the write succeeds only if it still holds.'),
  char_limit: z
    .int()
    .min(0)
    .max(2_147_483_647)
    .nullable()
    .optional()
    .describe('Characters of the value text; kept for later writes; 0 removes it.'),
  sensitivity: Sensitivity.default(''),
  dry_run: z.boolean().default(false).describe('Judge the write and store nothing.'),
  proposed: z
    .boolean()
    .default(false)
    .describe('Store it on trial: served only to reads that ask for proposals, until memory.proposal_decide.'),
}

/** What every write of one claim answers. */
export const claimAnswer = {
  memory_id: z.string(),
  version: U64,
  content_sha256: z.string(),
  status: Status,
  namespace: z.string(),
  memory_key: z.string(),
  conflict_verdict: ConflictVerdict,
  peers: z.array(Peer).max(5),
  next: z.string(),
  noop: z.boolean(),
  merged_into_key: z.string(),
  duplicate_of: z.string(),
  retyped_from: z.string(),
  pinned: z.boolean(),
  chunks_written: z.int(),
  advisories: z.array(z.string()),
  degraded: z.array(z.string()),
  dry_run: z.boolean(),
}

export const memorySet = declareOp({
  name: 'memory.set',
  group: 'memory',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'core',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'exact',
  summary: 'Stores one claim under one key, judged against what the namespace knows before any reader can see it.',
  advice:
    'One fact per key, and a key a person can read: <scope>/<kind>/<id>, such as deploy/window/prod. Write the same key again to revise the ' +
    'fact. Put facets in tags and named things in entities. Text past a couple of kilobytes is a document: store it with knowledge.add and ' +
    'keep one short claim here. Never put a secret or a fact in a key. Read conflict_verdict: on "conflict" follow `next`; on "merge" nothing ' +
    'was stored at your key and merged_into_key names the key that holds the fact.',
  input: z.object({ ...id5, ...claimFields }),
  output: z.object(claimAnswer),
  errors: ['PINNED_CONFLICT', 'PRECONDITION_FAILED', 'KEY_HOLDS_FACT', 'CHAR_LIMIT_EXCEEDED', 'BLACKLISTED', 'LOCKED'],
  notOverMcp: ['char_limit'],
  example: {
    input: {
      org: 'dev',
      namespace: 'local',
      agent: 'ops-bot',
      memory_key: 'deploy/window/prod',
      value: 'Production deploys run Tuesday and Thursday only; never Friday.',
      tags: ['deploy', 'policy'],
      entities: ['production'],
    },
  },
})
