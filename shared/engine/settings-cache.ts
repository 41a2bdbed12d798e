import type { NamespaceSettings } from '../contract/ops/namespace/register.ts'
import type { Clock } from './clock.ts'
import type { Queryable } from './db/database.ts'
import { readSettings } from './store/namespaces.ts'

/** Settings bind the next write on this process at once, and within this time on the others. */
const FRESH_MS = 10_000

export interface SettingsCache {
  get(db: Queryable, org: string, namespace: string): Promise<NamespaceSettings>
  forget(org: string, namespace: string): void
  /** True once a write of this process has seen the namespace's own row: its first write need not make it again. */
  exists(org: string, namespace: string): boolean
  sawNamespace(org: string, namespace: string): void
}

export function createSettingsCache(clock: Clock): SettingsCache {
  const known = new Map<string, { settings: NamespaceSettings; at: number }>()
  const seen = new Set<string>()
  const name = (org: string, namespace: string): string => `${org}/${namespace}`
  return {
    async get(db, org, namespace) {
      const kept = known.get(name(org, namespace))
      if (kept && clock() - kept.at < FRESH_MS) return kept.settings
      const settings = await readSettings(db, org, namespace)
      known.set(name(org, namespace), { settings, at: clock() })
      return settings
    },
    forget: (org, namespace) => void known.delete(name(org, namespace)),
    exists: (org, namespace) => seen.has(name(org, namespace)),
    sawNamespace: (org, namespace) => void seen.add(name(org, namespace)),
  }
}
