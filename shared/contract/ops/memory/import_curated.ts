import { z } from 'zod'
import { ConflictVerdict, Sensitivity, Status, Str, Tags, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const memoryImportCurated = declareOp({
  name: 'memory.import_curated',
  group: 'memory',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'bulk',
  sync: 'replay',
  host: 'engine',
  identity: 'exact',
  summary: 'Makes one memory of each heading of a hand-kept Markdown file.',
  advice:
    'Import the same file again after an edit: a section whose text changed is revised in place, one that is gone is named in `missing` and left as it is.',
  input: z.object({
    ...id5,
    run_id: Str.max(200).default(''),
    markdown: Str.min(1),
    heading_level: z.int().min(1).max(6).default(2).describe('Level of the headings that make a memory; deeper ones stay in its text.'),
    source_resource_id: Str.max(2048).default('').describe('Path of the file.'),
    key_prefix: Str.max(512)
      .default('')
      .describe('First part of every key; left out: slug of the file name, else of the first level-1 heading, else "curated".'),
    tags: Tags.optional().describe('Of every section; left out, a section that is there already keeps its own.'),
    sensitivity: Sensitivity.default(''),
    dry_run: z.boolean().default(false),
  }),
  output: z.object({
    results: z.array(
      z.object({
        index: z.int(),
        key: z.string(),
        heading: z.string(),
        line: z.int().describe('Line of the heading, from 1.'),
        outcome: z.enum(['written', 'revised', 'held', 'skipped', 'refused']),
        reason: z.string(),
        status: z.union([Status, z.literal('')]),
        conflict_verdict: ConflictVerdict,
        held_by: z.string().optional(),
      }),
    ),
    totals: z.object({ written: z.int(), revised: z.int(), held: z.int(), skipped: z.int(), refused: z.int() }),
    missing: z.array(z.string()).describe('Keys of the same source_resource_id whose section is gone.'),
    unused_chars: z.int().describe('Characters of text outside any such section.'),
    dry_run: z.boolean(),
    degraded: z.array(z.string()),
  }),
  errors: [],
  example: {
    input: {
      org: 'dev',
      namespace: 'local',
      agent: 'ops-bot',
      source_resource_id: 'docs/runbook.md',
      markdown: '# Runbook\n\n## Deploys\n\nDeploys run Tuesday and Thursday.\n',
    },
  },
})
