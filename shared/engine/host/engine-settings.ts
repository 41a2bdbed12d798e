import { z } from 'zod'
import type { RateClass } from '../../contract/declare.ts'
import { DEFAULT_RATES, type Rates } from '../access/rate-limits.ts'
import { DEFAULT_CONFIG, type EngineConfig } from '../config.ts'
import type { ModelService } from '../llm/port.ts'
import { ERASURE_SETTINGS, readErasureConfig } from './erasure-settings.ts'
import { numeric, oneOf, refuseFaults, type Setting, webAddress, whole, yesOrNo } from './settings.ts'

/** Calls a minute of one class, for each token. */
function rateSetting<const C extends RateClass>(rate: C) {
  return {
    name: `LOOM_RATE_${rate.toUpperCase() as Uppercase<C>}_PER_MINUTE`,
    expects: 'a whole number of calls, 0 or more',
    default: DEFAULT_RATES[rate],
    about: `Calls a minute of the class ${rate}, for each token; 0 sets no limit. Single mode has none.`,
    schema: whole(0),
  } as const
}

/** The settings of an engine, which every host reads alike. */
export const ENGINE_SETTINGS = {
  embeddingModel: {
    name: 'LOOM_EMBEDDING_MODEL',
    expects: 'the name or the folder of a model',
    default: 'all-MiniLM-L6-v2',
    about: 'Embedding model; a change embeds everything anew.',
    schema: z.string().trim().min(1),
  },
  objectsDir: {
    name: 'LOOM_OBJECTS_DIR',
    expects: 'the path of a folder',
    default: '',
    about: 'Original files of documents. By default `objects` in the data folder; one shared volume for all processes of one Postgres.',
    schema: z.string().refine((path) => !path.includes('\0')),
  },
  maxRequestBytes: {
    name: 'LOOM_MAX_REQUEST_BYTES',
    expects: 'a whole number of bytes, 1024 or more',
    default: 33_554_432,
    about: 'Longest request body; past it 413.',
    schema: whole(1024),
  },
  valueAdvisoryChars: {
    name: 'LOOM_MEMORY_VALUE_ADVISORY_CHARS',
    expects: 'a whole number of characters, 0 or more',
    default: 30_000,
    about: 'Length of the stored form past which a value earns the advisory oversized; 0 never.',
    schema: whole(0),
  },
  sensitivityAutodetect: {
    name: 'LOOM_MEMORY_SENSITIVITY_AUTODETECT',
    expects: 'true or false',
    default: true,
    about: 'Detect a sensitivity where none is given; a namespace may say otherwise.',
    schema: yesOrNo,
  },
  searchKeyMatchMode: {
    name: 'LOOM_MEMORY_SEARCH_KEY_MATCH_MODE',
    expects: 'on or off',
    default: 'on',
    about: 'Words of the key break ties in search.',
    schema: oneOf('on', 'off'),
  },
  verdictMinConfidence: {
    name: 'LOOM_MEMORY_VERDICT_MIN_CONFIDENCE',
    expects: 'a number from 0 to 1',
    default: 0.6,
    about: 'Confidence under which a finding is unsure: it retires and refuses nothing.',
    schema: numeric(0, 1),
  },
  bulkConflictChecks: {
    name: 'LOOM_BULK_CONFLICT_CHECK_MAX_ENTRIES',
    expects: 'a whole number from 0 to 1000',
    default: 200,
    about: 'Entries of one memory.bulk_set that get a verdict; those after them are stored unchecked.',
    schema: whole(0, 1000),
  },
  quarantineNegatives: {
    name: 'LOOM_MEMORY_QUARANTINE_NEGATIVES',
    expects: 'a whole number from 1 to 1000',
    default: 3,
    about: 'Negative outcomes in a row that quarantine a row.',
    schema: whole(1, 1000),
  },
  auditRetentionDays: {
    name: 'LOOM_AUDIT_RETENTION_DAYS',
    expects: 'a whole number of days, 0 or more',
    default: 0,
    about: 'Days after which whole seals of the audit log are dropped; 0 keeps them for ever.',
    schema: whole(0),
  },
  llmUrl: {
    name: 'LOOM_LLM_URL',
    expects: 'an http or https address',
    default: '',
    about: 'Base address of a chat service that speaks the OpenAI protocol, such as http://localhost:11434/v1. Unset: no language model.',
    schema: webAddress,
  },
  llmModel: {
    name: 'LOOM_LLM_MODEL',
    expects: 'the name of a model of that service',
    default: '',
    about: 'Model that the service at LOOM_LLM_URL answers with; required with it.',
    schema: z.string().trim().min(1),
  },
  llmApiKey: {
    name: 'LOOM_LLM_API_KEY',
    expects: 'a key of printable characters without spaces',
    default: '',
    about: 'Key of that service, if it asks for one. Stored nowhere, in no log.',
    schema: z
      .string()
      .trim()
      .regex(/^[\x21-\x7e]+$/),
    secret: true,
  },
  llmTimeoutSeconds: {
    name: 'LOOM_LLM_TIMEOUT_SECONDS',
    expects: 'a whole number from 1 to 600',
    default: 30,
    about: 'Seconds after which a call of the model counts as failed.',
    schema: whole(1, 600),
  },
  extractValueUpdates: {
    name: 'LOOM_MEMORY_EXTRACT_VALUE_UPDATES',
    expects: 'true or false',
    default: false,
    about: 'Extraction links a changed value to the one that it updates; an import never does.',
    schema: yesOrNo,
  },
  consolidateEnabled: {
    name: 'LOOM_MEMORY_CONSOLIDATE_ENABLED',
    expects: 'true or false',
    default: false,
    about: 'A daily pass builds summaries of what many memories are about; their sources stay.',
    schema: yesOrNo,
  },
  ...ERASURE_SETTINGS,
  rateRead: rateSetting('read'),
  rateWrite: rateSetting('write'),
  rateSearch: rateSetting('search'),
  rateBulk: rateSetting('bulk'),
  rateImport: rateSetting('import'),
  rateAdmin: rateSetting('admin'),
} as const satisfies Record<string, Setting<string> | Setting<number> | Setting<boolean> | Setting<'on' | 'off'>>

function readRates(read: <T>(setting: Setting<T>) => T): Rates {
  const { rateRead, rateWrite, rateSearch, rateBulk, rateImport, rateAdmin } = ENGINE_SETTINGS
  return {
    read: read<number>(rateRead),
    write: read<number>(rateWrite),
    search: read<number>(rateSearch),
    bulk: read<number>(rateBulk),
    import: read<number>(rateImport),
    admin: read<number>(rateAdmin),
  }
}

/** @throws LoomError INVALID_ARGUMENT for an address without a model */
function readModel(read: <T>(setting: Setting<T>) => T): ModelService | null {
  const { llmUrl, llmModel, llmApiKey, llmTimeoutSeconds } = ENGINE_SETTINGS
  const [url, model, apiKey] = [read<string>(llmUrl), read<string>(llmModel), read<string>(llmApiKey)]
  const timeoutMs = read<number>(llmTimeoutSeconds) * 1000
  if (url === '') return null
  if (model === '')
    refuseFaults([`${llmModel.name}: it is not set, and ${llmUrl.name} is. Name the model that the service is to answer with.`])
  return { url, model, apiKey, timeoutMs }
}

/** @param read reads one setting of the environment */
export function readEngineConfig(read: <T>(setting: Setting<T>) => T): EngineConfig {
  return {
    maxRequestBytes: read<number>(ENGINE_SETTINGS.maxRequestBytes),
    valueAdvisoryChars: read<number>(ENGINE_SETTINGS.valueAdvisoryChars),
    sensitivityAutodetect: read<boolean>(ENGINE_SETTINGS.sensitivityAutodetect),
    searchKeyMatch: read<'on' | 'off'>(ENGINE_SETTINGS.searchKeyMatchMode) === 'on',
    verdictMinConfidence: read<number>(ENGINE_SETTINGS.verdictMinConfidence),
    bulkConflictChecks: read<number>(ENGINE_SETTINGS.bulkConflictChecks),
    auditRetentionDays: read<number>(ENGINE_SETTINGS.auditRetentionDays),
    quarantineNegatives: read<number>(ENGINE_SETTINGS.quarantineNegatives),
    llm: readModel(read),
    extractValueUpdates: read<boolean>(ENGINE_SETTINGS.extractValueUpdates),
    consolidateEnabled: read<boolean>(ENGINE_SETTINGS.consolidateEnabled),
    rates: readRates(read),
    erasure: readErasureConfig(read),
    // A server says its own.
    publicUrl: DEFAULT_CONFIG.publicUrl,
    webhooks: DEFAULT_CONFIG.webhooks,
    checkOutputs: false,
  }
}
