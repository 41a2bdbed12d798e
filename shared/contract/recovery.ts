import { z } from 'zod'
import { Backup } from './backup.ts'

/** Why the database of a desktop cannot be opened. */
export const OpenFault = z.object({
  kind: z.enum(['damaged', 'newer_schema']),
  /** One sentence, for whoever uses Loom. */
  sentence: z.string(),
  /** What the database said, for whoever knows databases. */
  detail: z.string(),
  at: z.iso.datetime(),
  app_version: z.string(),
})
export type OpenFault = z.infer<typeof OpenFault>

/** What can be told without opening anything. */
export const RecoveryView = z.object({
  fault: OpenFault,
  /** Folder of the database that cannot be opened. */
  folder: z.string(),
  /** When a file of it was last written; null where none can be looked at. */
  written_at: z.iso.datetime().nullable(),
  /** Newest first. */
  backups: z.array(Backup),
})
export type RecoveryView = z.infer<typeof RecoveryView>

/** What only opening copies tells: counted while the person reads. Null where it cannot be known. */
export const RecoverySurvey = z.object({
  /** The newest backup that is whole, and the memories in it. */
  backup_id: z.string(),
  rows: z.int().nullable(),
  /** Memories that can still be read of what is damaged. */
  readable: z.int().nullable(),
  /** Those of them that were written after that backup. */
  newer: z.int().nullable(),
  /** Those of the newer ones that a team's server has. */
  on_server: z.int().nullable(),
})
export type RecoverySurvey = z.infer<typeof RecoverySurvey>

/** What a person may do about it. */
export const RecoveryChoice = z.discriminatedUnion('do', [
  z.object({ do: z.literal('survey') }),
  z.object({ do: z.literal('restore'), backup_id: z.string().min(1).max(200) }),
  z.object({ do: z.literal('fresh') }),
  z.object({ do: z.literal('export'), folder: z.string().min(1).max(4096) }),
])
export type RecoveryChoice = z.infer<typeof RecoveryChoice>

/** What came of it. `kept`: the folder in which the damaged files lie now, byte for byte. */
export const RecoveryDone = z.discriminatedUnion('did', [
  z.object({ did: z.literal('survey'), survey: RecoverySurvey }),
  z.object({ did: z.literal('restore'), rows: z.int(), kept: z.string() }),
  z.object({ did: z.literal('fresh'), kept: z.string() }),
  z.object({
    did: z.literal('export'),
    folder: z.string(),
    memories: z.int(),
    rows: z.int(),
    /** Memories that are there, of which nothing could be read. */
    unreadable: z.int(),
    /** Tables that could not be read to their end. */
    cut: z.array(z.string()),
  }),
])
export type RecoveryDone = z.infer<typeof RecoveryDone>
