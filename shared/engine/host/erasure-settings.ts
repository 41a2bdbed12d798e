import { z } from 'zod'
import { DEFAULT_ERASURE, type ErasureConfig } from '../erasure/config.ts'
import { type Setting, whole, yesOrNo } from './settings.ts'

/** The settings of erasures that every host reads. */
export const ERASURE_SETTINGS = {
  erasureWaitSeconds: {
    name: 'LOOM_ERASURE_WAIT_SECONDS',
    expects: 'a whole number of seconds from 0 to 300',
    default: DEFAULT_ERASURE.waitSeconds,
    about: 'How long erasure.request waits for its saga; 0 answers at once.',
    schema: whole(0, 300),
  },
  erasureMaxAttempts: {
    name: 'LOOM_ERASURE_MAX_ATTEMPTS',
    expects: 'a whole number from 1 to 100',
    default: DEFAULT_ERASURE.maxAttempts,
    about: 'Attempts of an erasure, the first included, before it is given up.',
    schema: whole(1, 100),
  },
  erasureExportConversationMaxBytes: {
    name: 'LOOM_ERASURE_EXPORT_CONVERSATION_MAX_BYTES',
    expects: 'a whole number of bytes, 1 or more',
    default: DEFAULT_ERASURE.exportConversationMaxBytes,
    about: 'Text of the conversations in one erasure.export.',
    schema: whole(1),
  },
} as const

/** Those that a server alone reads. */
export const SERVER_ERASURE_SETTINGS = {
  erasureVacuumFull: {
    name: 'LOOM_ERASURE_VACUUM_FULL',
    expects: 'true or false',
    default: DEFAULT_ERASURE.vacuumFull,
    about: 'A purge on Postgres rewrites every table, each under an exclusive lock, in place of a plain VACUUM.',
    schema: yesOrNo,
  },
  externalErasers: {
    name: 'LOOM_EXTERNAL_ERASERS',
    expects: 'addresses and paths of modules, with commas between',
    default: [] as readonly string[],
    about: 'External erasers: an http(s) address is asked by signed POST, a path is a module that exports `eraser`.',
    schema: z.string().transform((text) =>
      text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    ),
  },
} as const

/** The settings as the engine takes them; `vacuumFull` is a server's. */
export function readErasureConfig(read: <T>(setting: Setting<T>) => T): ErasureConfig {
  return {
    waitSeconds: read<number>(ERASURE_SETTINGS.erasureWaitSeconds),
    maxAttempts: read<number>(ERASURE_SETTINGS.erasureMaxAttempts),
    exportConversationMaxBytes: read<number>(ERASURE_SETTINGS.erasureExportConversationMaxBytes),
    vacuumFull: false,
  }
}
