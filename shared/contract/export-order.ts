import type { ExportSection } from './ops/namespace/export.ts'

/** Number of the form of an export, in the line before each section. The first had runs last, and no originals. */
export const EXPORT_FORM = 2

/**
 * The sections in the order in which an import can take them: what others point at comes first. Runs come before the rows
 * that they used, so that a run that is ended again tells no row of its outcome a second time.
 */
export const EXPORT_ORDER: readonly ExportSection[] = [
  'settings',
  'runs',
  'memory',
  'links',
  'history',
  'schemas',
  'records',
  'knowledge',
  'conversations',
  'working_memory',
]

/** The file of a section: read in the order of their names. */
export const fileOf = (section: ExportSection): string => `${String(EXPORT_ORDER.indexOf(section) + 1).padStart(2, '0')}-${section}.jsonl`
