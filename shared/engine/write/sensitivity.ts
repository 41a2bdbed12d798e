import type { Sensitivity } from '../../contract/common.ts'
import type { NamespaceSettings } from '../../contract/ops/namespace/register.ts'
import { fold } from '../../domain/text/fold.ts'
import type { EngineConfig } from '../config.ts'

const ORDER: readonly Sensitivity[] = ['', 'low', 'medium', 'high']

export function higherLevel(a: Sensitivity, b: Sensitivity): Sensitivity {
  return ORDER.indexOf(b) > ORDER.indexOf(a) ? b : a
}

/** Whether levels that no call states are detected: as the namespace says, else as the host. */
export function detectsLevels(settings: NamespaceSettings, config: Pick<EngineConfig, 'sensitivityAutodetect'>): boolean {
  return settings.sensitivity_autodetect ?? config.sensitivityAutodetect
}

/** The level, as given or detected, or the least one that a tag's policy asks for if that is higher. */
export function withTagFloor(level: Sensitivity, tags: readonly string[], settings: NamespaceSettings): Sensitivity {
  const registry = Object.entries(settings.tag_registry)
  if (registry.length === 0) return level
  const lower = new Set(tags.map(fold))
  return registry.reduce((least, [tag, policy]) => (lower.has(fold(tag)) ? higherLevel(least, policy.sensitivity ?? '') : least), level)
}

/** Tags, in lower case, whose rows are found only by a call that names them. */
export function hiddenTags(settings: NamespaceSettings): Set<string> {
  return new Set(
    Object.entries(settings.tag_registry)
      .filter(([, policy]) => policy.search === 'hidden')
      .map(([tag]) => fold(tag)),
  )
}
