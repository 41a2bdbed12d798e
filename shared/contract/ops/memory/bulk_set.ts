import { z } from 'zod'
import { AgentName, SourceClass, Str, SubjectName, Triple, U64, Peer, Status, ConflictVerdict, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { claimFields } from './set.ts'

const { run_id: runId, if_match_sha256: _ifMatch, dry_run: dryRun, ...own } = claimFields

/** A triple as memory.set takes it, or as a row shows it. */
const EntryTriple = z.union([
  Triple,
  z.object({ subject: Str.min(1).max(256), predicate: Str.min(1).max(256), object: Str.min(1).max(256) }),
])

/**
 * One claim: the fields of memory.set. Fields that only a row has are accepted and ignored, so that an export can be
 * read back; the handler refuses what is neither.
 */
export const BulkEntry = z.looseObject({
  agent: AgentName.optional(),
  user_id: SubjectName.optional(),
  session_id: SubjectName.optional(),
  run_id: Str.max(200).optional(),
  ...own,
  relations: z.array(EntryTriple).max(64).optional(),
  source_class: SourceClass.optional().describe('external, imported or derived; the classes that are stamped count as left out.'),
})

const place = { index: z.int(), memory_key: z.string() }
const row = { ...place, memory_id: z.string() }

export const memoryBulkSet = declareOp({
  name: 'memory.bulk_set',
  group: 'memory',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'none',
  rate: 'bulk',
  sync: 'replay',
  host: 'engine',
  identity: 'exact',
  summary: 'Stores up to 1,000 claims in one call, each judged and written by itself.',
  advice:
    'Not atomic: what was written before a failure stays, and every index is in exactly one list (besides duplicates and conflicted, which ' +
    'repeat entries of written). An entry that repeats the stored value only reinforces it.',
  input: z.object({ ...id5, run_id: runId, entries: z.array(BulkEntry).min(1).max(1000), dry_run: dryRun }),
  output: z.object({
    written: z.array(
      z.object({
        ...row,
        version: U64,
        content_sha256: z.string(),
        status: Status,
        conflict_verdict: ConflictVerdict,
        peers: z.array(Peer).max(5),
        merged_into_key: z.string(),
        duplicate_of: z.string(),
        retyped_from: z.string(),
        pinned: z.boolean(),
        chunks_written: z.int(),
        advisories: z.array(z.string()),
        next: z.string(),
      }),
    ),
    unchanged: z.array(z.object(row)),
    merged: z.array(z.object({ ...place, merged_into_key: z.string(), memory_id: z.string() })),
    duplicates: z.array(z.object(row)),
    conflicted: z.array(z.object(row)),
    rejected_pinned: z.array(z.object({ ...place, peers: z.array(Peer).max(5) })),
    skipped_pinned: z.array(z.object(place)),
    skipped_locked: z.array(z.object(place)),
    skipped_blacklisted: z.array(z.object({ ...place, blacklist_id: z.string(), reason: z.string() })),
    refused: z.array(z.object({ ...place, code: z.string(), message: z.string() })),
    failed: z.array(z.object({ ...place, code: z.string() })),
    unchecked: z.int().describe('Entries written with no verdict, past the first LOOM_BULK_CONFLICT_CHECK_MAX_ENTRIES.'),
    degraded: z.array(z.string()),
    dry_run: z.boolean(),
  }),
  errors: [],
  example: {
    input: {
      org: 'dev',
      namespace: 'local',
      agent: 'ops-bot',
      entries: [
        { memory_key: 'team/lead', value: 'Ada leads the team.' },
        { memory_key: 'team/size', value: 'The team has nine people.' },
      ],
    },
  },
})
