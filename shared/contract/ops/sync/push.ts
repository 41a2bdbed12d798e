import { z } from 'zod'
import { ConflictVerdict, DateTime, DateTimeIn, Peer, Str, U64, U64In } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { inputShape } from '../../input-shape.ts'

/** The protocol of pushing that this release speaks. */
export const PUSH_PROTOCOL = 1
export const MOST_CHANGES = 200

const TOP_VERSION = 2n ** 63n - 1n
/** A version as a store can hold it. */
const VersionIn = U64In.refine((version) => version <= TOP_VERSION, 'is above every version')

/** One operation that a device ran offline, as it is pushed. `base_version` and `base_change_id` null and empty: no row was here. */
export const Change = z.object({
  change_id: z.uuid({ version: 'v7', error: 'must be a UUIDv7' }).describe('Made once, on the device.'),
  op: Str.min(1).max(200).describe('The operation that ran; of one that a desktop replays.'),
  via: Str.max(200).default('').describe('The operation called, where one of many rows was split into this.'),
  args: z
    .record(z.string(), z.unknown())
    .describe('Input of `op`, with all of the identity and the key. A version still unanswered goes as `change:<change_id>`.'),
  memory_id: Str.max(64).default('').describe('As given on the device.'),
  base_version: VersionIn.nullable().default(null).describe('Version, on the server, of the head it was made on.'),
  base_change_id: Str.max(64).default('').describe('Instead of that: the unanswered change of the device that it was made on.'),
  recorded_at: DateTimeIn.describe('When it was made, by the clock of the device.'),
  local_version: VersionIn.nullable().default(null),
  verdict: z
    .object({ conflict_verdict: Str.max(40).default(''), status: Str.max(40).default('') })
    .prefault({})
    .describe('The provisional verdict of the device.'),
  source_class: Str.max(40).default('').describe('As stamped on the device; only a class below what the token stamps counts.'),
  erasure_seq: z.int().min(0).describe('The highest fence that the device had applied when it was made.'),
})
export type Change = z.output<typeof Change>
/** A change as a device sends it. */
export type ChangeIn = z.input<typeof Change>

/** Only its id is asked for: one change that cannot be read is quarantined, and the others go on. */
const AnyChange = z
  .custom<Readonly<Record<string, unknown>> & { readonly change_id: string }>(
    (change) => typeof change === 'object' && change !== null && !Array.isArray(change),
    'must be one JSON object',
  )
  .superRefine((change, context) => {
    const id = (change as { change_id?: unknown } | null)?.change_id
    if (!Str.min(1).max(200).safeParse(id).success)
      context.addIssue({ code: 'custom', path: ['change_id'], message: 'is needed for each change, 1 to 200 characters' })
  })
  .meta(inputShape(Change))

export const ChangeOutcome = z.enum(['applied', 'noop', 'merged', 'lost', 'refused', 'erased', 'quarantined', 'retry'])
export type ChangeOutcome = z.infer<typeof ChangeOutcome>

/** What became of a change. */
export const ChangeResult = z.object({
  change_id: z.string(),
  outcome: ChangeOutcome,
  replayed: z.boolean().describe('It was settled before, and answers the same.'),
  code: z.string().describe('Of the error table; empty when no rule stood against it.'),
  message: z.string(),
  conflict_verdict: ConflictVerdict,
  status: z.string(),
  merged_into_key: z.string(),
  peers: z.array(Peer),
  memory_id: z.string(),
  version: U64.nullable(),
  row: z
    .record(z.string(), z.string().nullable())
    .nullable()
    .describe('Head of the key now, as the shape of its table gives it: every column as Postgres text. Null: there is none.'),
  current_sha256: z.string().nullable(),
  retry_after_s: z.int().nullable(),
})
export type ChangeResult = z.infer<typeof ChangeResult>

export const syncPush = declareOp({
  name: 'sync.push',
  group: 'admin',
  kind: 'write',
  role: 'viewer',
  idempotent: true,
  audited: true,
  toolset: 'none',
  rate: 'bulk',
  sync: 'server',
  host: 'server',
  identity: 'none',
  // What a change became is kept by its own id, and its row is today's.
  onRepeat: 'again',
  summary: 'Takes the operations that a desktop ran by itself, in order, and settles each against what the server holds.',
  input: z.object({
    protocol: z.int().default(PUSH_PROTOCOL),
    erasure_seq: z.int().min(0).describe('The highest fence that the device has applied.'),
    sent_at: DateTimeIn.describe('Now, by the clock of the device.'),
    changes: z.array(AnyChange).min(1).max(MOST_CHANGES).describe('In the order they were made.'),
  }),
  output: z.object({
    server_time: DateTime,
    erasures_first: z.boolean().describe('Fences stand that the device has not applied: nothing was looked at.'),
    erasure_seq: z.int().describe('The highest fence that the device can see.'),
    results: z.array(ChangeResult).describe('In the order of the changes; shorter when the time ran out, and the rest is sent again.'),
  }),
  errors: [],
})
