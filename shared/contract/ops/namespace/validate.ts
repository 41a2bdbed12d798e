import { z } from 'zod'
import { MemoryKey, Name } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { CheckResult, NAMESPACE_CHECKS } from './audit.ts'

/** Checks that only a gate makes, besides those of namespace.audit. */
export const GATE_CHECKS = ['low_confidence', 'head_mismatch', 'index_mismatch', 'audit_chain'] as const
export type GateCheck = (typeof GATE_CHECKS)[number]

export const namespaceValidate = declareOp({
  name: 'namespace.validate',
  group: 'admin',
  kind: 'read',
  role: 'admin',
  bound: 'none',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'bulk',
  sync: 'none',
  host: 'engine',
  identity: 'namespace',
  summary: 'The checks of namespace.audit as a gate: pass or fail, for scripts.',
  input: z.object({
    org: Name.optional(),
    namespace: Name.optional(),
    sample_limit: z.int().min(1).max(200).default(20),
    conflict_age_seconds: z.int().min(0).max(3_153_600_000).default(604_800).describe('A younger conflict is no problem.'),
    confidence_floor: z.number().min(0).max(1).default(0).describe('Rows below it are a problem.'),
    embed_grace_seconds: z.int().min(0).max(3_153_600_000).default(300).describe('A vector missing no longer than this is none.'),
    strict: z.boolean().default(false).describe('Warnings fail too.'),
    keys: z.array(MemoryKey).max(1000).default([]).describe('Only these.'),
  }),
  output: z.object({
    ok: z.boolean(),
    checked: z.int().describe('Live rows looked at.'),
    problems: z.array(CheckResult.omit({ advice: true }).extend({ check: z.enum([...NAMESPACE_CHECKS, ...GATE_CHECKS]) })),
    missing_keys: z.array(z.string()).describe('Of keys: those that no live row holds.'),
  }),
  errors: [],
})
