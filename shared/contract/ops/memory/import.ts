import { z } from 'zod'
import { DateTimeIn, Sensitivity, Str, Tags, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

/** Why a fact was not plainly written, by outcome. */
export const IMPORT_REASONS = {
  written: ['', 'duplicate', 'conflicted', 'refines'],
  held: ['merge', 'identity_duplicate'],
  skipped: ['unchanged', 'sensitivity_kept', 'deleted', 'superseded', 'rejected', 'proposed', 'revised', 'repeated', 'unknown'],
  refused: ['blacklist', 'pinned', 'locked', 'pinned_peer'],
} as const

export type ImportOutcome = keyof typeof IMPORT_REASONS
type ImportReason = (typeof IMPORT_REASONS)[ImportOutcome][number]

/** A loose object, so that the handler can name what it does not know. */
export const ImportEntry = z.looseObject({
  text: Str.regex(/\S/, 'must be more than white space').describe('The fact, in plain text.'),
  tags: Tags.default([]),
  valid_at: DateTimeIn.nullable().optional().describe('Since when the source knew it.'),
  source_trace: Str.max(1024).default('').describe('Its id or path in the source; its own key when left out.'),
  category: Str.max(128).default('').describe('A registered category, to put the key into; matched without case.'),
  sensitivity: Sensitivity.default(''),
})

export const memoryImport = declareOp({
  name: 'memory.import',
  group: 'memory',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'named',
  rate: 'import',
  sync: 'replay',
  host: 'engine',
  identity: 'exact',
  summary: 'Stores facts that another memory system has distilled, up to 200 in one call, each judged and written by itself.',
  advice:
    'Import no secrets: the key of a fact is a digest of its text, so anyone who sees the key can confirm a guessed text. Running an import again ' +
    'writes nothing new. What was deleted, retired, rejected or corrected since stays so. An edited text has a new key: the fact that it replaces is ' +
    'yours to delete or to revise.',
  input: z.object({
    ...id5,
    run_id: Str.max(200).default(''),
    entries: z.array(ImportEntry).min(1).max(200),
    dry_run: z.boolean().default(false).describe('Answer what would become of each entry, and store nothing.'),
  }),
  output: z.object({
    results: z.array(
      z.object({
        index: z.int(),
        key: z.string().describe('import: and the first 24 hex digits of the SHA-256 of the text as given.'),
        outcome: z.enum(['written', 'held', 'skipped', 'refused']),
        reason: z.enum(Object.values(IMPORT_REASONS).flat() as [ImportReason, ...ImportReason[]]),
        held_by: z.string().optional().describe('Key that holds the fact already; of held entries alone.'),
        note: z
          .enum(['category_unregistered', 'category_refused', 'category_not_linked', 'category_rescinded'])
          .optional()
          .describe('Why the key was not put into the category.'),
      }),
    ),
    totals: z.object({ written: z.int(), held: z.int(), skipped: z.int(), refused: z.int() }),
    dry_run: z.boolean(),
    degraded: z.array(z.string()),
  }),
  errors: [],
  example: {
    input: {
      org: 'dev',
      namespace: 'local',
      agent: 'ops-bot',
      entries: [
        { text: 'Ada prefers tea.', tags: ['pref'], valid_at: '2025-03-01', source_trace: 'mem0/81', category: 'preferences' },
        { text: 'Deploys run Tuesday.' },
      ],
    },
    output: {
      results: [
        { index: 0, key: 'import:b38a5228f3971be99ca2e8fb', outcome: 'written', reason: '', note: 'category_unregistered' },
        { index: 1, key: 'import:b269df5d8ee1832d1b1f8a05', outcome: 'skipped', reason: 'deleted' },
      ],
      totals: { written: 1, held: 0, skipped: 1, refused: 0 },
      dry_run: false,
      degraded: [],
    },
  },
})
