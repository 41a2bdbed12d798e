import type { ExportSection } from './ops/namespace/export.ts'

/** The sections in the order in which an import can take them: what others point at comes first. */
export const EXPORT_ORDER: readonly ExportSection[] = [
  'settings',
  'memory',
  'links',
  'history',
  'schemas',
  'records',
  'knowledge',
  'conversations',
  'runs',
  'working_memory',
]

/** The file of a section: read in the order of their names. */
export const fileOf = (section: ExportSection): string => `${String(EXPORT_ORDER.indexOf(section) + 1).padStart(2, '0')}-${section}.jsonl`
