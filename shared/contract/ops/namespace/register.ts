import { z } from 'zod'
import { Name, OnExpire, Sensitivity, Str, Tag } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const ConflictPolicy = z.enum(['flag', 'newest_wins', 'keep_existing'])
export type ConflictPolicy = z.infer<typeof ConflictPolicy>

export const Window = z.strictObject({ ttl_seconds: z.int().min(60).max(3_153_600_000), on_expire: OnExpire.default('tombstone') })
export const TagPolicy = z.strictObject({
  description: Str.max(500).default(''),
  window: Window.nullable().optional(),
  sensitivity: Sensitivity.exclude(['']).nullable().optional(),
  search: z.enum(['normal', 'hidden']).default('normal'),
})
const ProposalPolicy = z.strictObject({
  mode: z.enum(['manual', 'auto']),
  min_passes: z.int().min(1).max(1000),
  max_fails: z.int().min(0).max(999),
  reject_after_fails: z.int().min(1).max(1000),
})

const perType = <S extends z.ZodType>(of: S) => z.strictObject({ semantic: of, episodic: of, profile: of, procedural: of })
const perLevel = <S extends z.ZodType>(of: S) => z.strictObject({ high: of, medium: of, low: of })

/** Settings of a namespace, whole, as in force. */
export const NamespaceSettings = z.object({
  description: z.string(),
  conflict_threshold: z.number(),
  default_conflict_policy: ConflictPolicy,
  proposal_policy: ProposalPolicy,
  tag_registry: z.record(z.string(), TagPolicy),
  retention: perType(Window.optional()),
  sensitive_retention: perLevel(Window.optional()),
  sensitivity_autodetect: z.boolean().nullable(),
})
export type NamespaceSettings = z.infer<typeof NamespaceSettings>

export const DEFAULT_SETTINGS: NamespaceSettings = {
  description: '',
  conflict_threshold: 0.42,
  default_conflict_policy: 'flag',
  proposal_policy: { mode: 'manual', min_passes: 3, max_fails: 0, reject_after_fails: 3 },
  tag_registry: {},
  retention: {},
  sensitive_retention: {},
  sensitivity_autodetect: null,
}

const window = Window.nullable().optional()

export const namespaceRegister = declareOp({
  name: 'namespace.register',
  group: 'admin',
  kind: 'write',
  role: 'admin',
  bound: 'none',
  idempotent: true,
  audited: true,
  toolset: 'named',
  rate: 'admin',
  sync: 'server',
  host: 'engine',
  identity: 'namespace',
  summary: 'Makes a namespace explicit, or changes its settings. A field left out keeps its value, null puts the default back.',
  input: z.object({
    org: Name.optional(),
    namespace: Name.optional(),
    description: Str.max(1000).nullable().optional(),
    conflict_threshold: z.number().min(0).max(1).nullable().optional(),
    default_conflict_policy: ConflictPolicy.nullable().optional(),
    proposal_policy: ProposalPolicy.partial().nullable().optional(),
    tag_registry: z.record(Tag, TagPolicy.nullable()).nullable().optional(),
    retention: perType(window).nullable().optional(),
    sensitive_retention: perLevel(window).nullable().optional(),
    sensitivity_autodetect: z.boolean().nullable().optional(),
    dry_run: z.boolean().default(false),
  }),
  output: z.object({
    namespace: z.string(),
    created: z.boolean(),
    changed: z.array(z.string()),
    settings: NamespaceSettings,
    restamp_rows: z.int(),
    dry_run: z.boolean(),
  }),
  errors: [],
})
