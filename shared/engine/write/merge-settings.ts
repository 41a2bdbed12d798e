import type { Input } from '../../contract/declare.ts'
import { LoomError } from '../../contract/errors.ts'
import { DEFAULT_SETTINGS, type NamespaceSettings, type namespaceRegister } from '../../contract/ops/namespace/register.ts'
import { fold } from '../../domain/text/fold.ts'

type Call = Input<typeof namespaceRegister>

const PLAIN = ['description', 'conflict_threshold', 'default_conflict_policy', 'sensitivity_autodetect'] as const
const MAPS = ['retention', 'sensitive_retention', 'tag_registry'] as const
const MOST_TAGS = 500

type Registry = NamespaceSettings['tag_registry']

/** Tags are matched without case: a policy named anew replaces that of the tag in any spelling. */
function mergeTags(before: Registry, given: NonNullable<Call['tag_registry']>): Registry {
  const named = new Set(Object.keys(given).map(fold))
  const kept = Object.entries(before).filter(([tag]) => !named.has(fold(tag)))
  const set = Object.entries(given).filter((entry): entry is [string, Registry[string]] => entry[1] !== null)
  return Object.fromEntries([...kept, ...set])
}

function mergeWindows<T extends object>(before: T, given: { readonly [name: string]: unknown }): T {
  return Object.fromEntries(Object.entries({ ...before, ...given }).filter(([, window]) => window !== null && window !== undefined)) as T
}

/**
 * Settings after a call: a field left out keeps its value, `null` puts the default back, one level deep.
 * @throws LoomError INVALID_ARGUMENT, with the path, for what the merged settings may not be.
 */
export function mergeSettings(before: NamespaceSettings, input: Call): NamespaceSettings {
  const plain = Object.fromEntries(
    PLAIN.filter((field) => input[field] !== undefined).map((field) => [field, input[field] ?? DEFAULT_SETTINGS[field]]),
  )
  const merged: NamespaceSettings = {
    ...before,
    ...(plain as Partial<NamespaceSettings>),
    ...(input.proposal_policy !== undefined && {
      proposal_policy:
        input.proposal_policy === null ? DEFAULT_SETTINGS.proposal_policy : { ...before.proposal_policy, ...input.proposal_policy },
    }),
    ...(input.tag_registry !== undefined && {
      tag_registry: input.tag_registry === null ? {} : mergeTags(before.tag_registry, input.tag_registry),
    }),
    ...(input.retention !== undefined && { retention: input.retention === null ? {} : mergeWindows(before.retention, input.retention) }),
    ...(input.sensitive_retention !== undefined && {
      sensitive_retention: input.sensitive_retention === null ? {} : mergeWindows(before.sensitive_retention, input.sensitive_retention),
    }),
  }
  const { reject_after_fails: rejects, max_fails: fails } = merged.proposal_policy
  if (rejects <= fails) {
    throw new LoomError('INVALID_ARGUMENT', `proposal_policy.reject_after_fails (${rejects}) must be greater than max_fails (${fails}).`, {
      field: 'proposal_policy.reject_after_fails',
    })
  }
  if (Object.keys(merged.tag_registry).length > MOST_TAGS) {
    throw new LoomError('INVALID_ARGUMENT', `tag_registry takes at most ${MOST_TAGS} tags.`, { field: 'tag_registry' })
  }
  return merged
}

const text = (value: unknown): string => JSON.stringify(value ?? null)

/** Paths at which settings differ: the field, or the member of a field that has members. */
export function changedPaths(before: NamespaceSettings, after: NamespaceSettings): string[] {
  const plain = PLAIN.filter((field) => before[field] !== after[field])
  const nested = (['proposal_policy', ...MAPS] as const).flatMap((field) => {
    const [old, now] = [before[field] as Record<string, unknown>, after[field] as Record<string, unknown>]
    return [...new Set([...Object.keys(old), ...Object.keys(now)])]
      .filter((name) => text(old[name]) !== text(now[name]))
      .map((name) => `${field}.${name}`)
  })
  return [...plain, ...nested]
}

function windowsOf(settings: NamespaceSettings): string {
  const tags = Object.entries(settings.tag_registry).flatMap(([tag, policy]) => (policy.window ? [[tag, policy.window]] : []))
  return text([settings.retention, settings.sensitive_retention, tags])
}

/** A window was set, changed or removed: rows that follow windows are looked at again. */
export function movesWindows(before: NamespaceSettings, after: NamespaceSettings): boolean {
  return windowsOf(before) !== windowsOf(after)
}

/** A tag asks for another level, or detection was switched: rows whose level nobody stated are looked at again. */
export function movesLevels(before: NamespaceSettings, after: NamespaceSettings): boolean {
  const levels = (settings: NamespaceSettings): string =>
    text([
      settings.sensitivity_autodetect,
      Object.entries(settings.tag_registry).flatMap(([tag, policy]) => (policy.sensitivity ? [[tag, policy.sensitivity]] : [])),
    ])
  return levels(before) !== levels(after)
}
