import { describe, expect, test } from 'vitest'
import { DEFAULT_CONFIG } from '../../shared/engine/config.ts'
import { SETTINGS, toConfig } from '../../main/config.ts'

const messageOf = (env: Record<string, string>): string => {
  try {
    toConfig(env)
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

describe('settings of the desktop', () => {
  test('[CFG001][CFG002][CFG023][CFG024][CFG025] have the documented defaults', () => {
    const { desktop, client } = toConfig({})
    expect(desktop).toMatchObject({
      port: 7777,
      portNamed: false,
      mode: 'single',
      embeddingModel: 'all-MiniLM-L6-v2',
      engine: {
        maxRequestBytes: 33_554_432,
        valueAdvisoryChars: 30_000,
        sensitivityAutodetect: true,
        searchKeyMatch: true,
        verdictMinConfidence: 0.6,
        bulkConflictChecks: 200,
        auditRetentionDays: 0,
        quarantineNegatives: 3,
        llm: null,
        extractValueUpdates: false,
        consolidateEnabled: false,
        erasure: { waitSeconds: 20, maxAttempts: 5, exportConversationMaxBytes: 8_388_608, vacuumFull: false },
        rates: { read: 1200, write: 600, search: 300, bulk: 60, import: 60, admin: 60 },
      },
    })
    expect(client).toEqual({ baseUrl: null, apiKey: null })
  })

  test('[CFG001][CFG002][CFG003][CFG023][CFG024][CFG025][CFG029][CFG030][CFG031] are overridden by the environment', () => {
    const { desktop, client } = toConfig({
      LOOM_HOME: '/data/loom',
      LOOM_PORT: '0',
      LOOM_MODE: 'multi',
      LOOM_EMBEDDING_MODEL: 'owner/model',
      LOOM_MAX_REQUEST_BYTES: '1024',
      LOOM_MEMORY_VALUE_ADVISORY_CHARS: '0',
      LOOM_MEMORY_SENSITIVITY_AUTODETECT: 'false',
      LOOM_MEMORY_SEARCH_KEY_MATCH_MODE: 'off',
      LOOM_MEMORY_VERDICT_MIN_CONFIDENCE: '.75',
      LOOM_BULK_CONFLICT_CHECK_MAX_ENTRIES: '5',
      LOOM_AUDIT_RETENTION_DAYS: '30',
      LOOM_MEMORY_QUARANTINE_NEGATIVES: '2',
      LOOM_LLM_URL: 'http://localhost:11434/v1/',
      LOOM_LLM_MODEL: 'small',
      LOOM_LLM_API_KEY: 'sk-1',
      LOOM_LLM_TIMEOUT_SECONDS: '7',
      LOOM_MEMORY_EXTRACT_VALUE_UPDATES: 'true',
      LOOM_MEMORY_CONSOLIDATE_ENABLED: 'true',
      LOOM_ERASURE_WAIT_SECONDS: '0',
      LOOM_ERASURE_MAX_ATTEMPTS: '2',
      LOOM_ERASURE_EXPORT_CONVERSATION_MAX_BYTES: '1000',
      LOOM_RATE_READ_PER_MINUTE: '1',
      LOOM_RATE_WRITE_PER_MINUTE: '2',
      LOOM_RATE_SEARCH_PER_MINUTE: '3',
      LOOM_RATE_BULK_PER_MINUTE: '4',
      LOOM_RATE_IMPORT_PER_MINUTE: '5',
      LOOM_RATE_ADMIN_PER_MINUTE: '0',
      LOOM_BASE_URL: 'https://loom.example/team/',
      LOOM_API_KEY: 'loom_abc',
    })
    expect(desktop).toEqual({
      home: '/data/loom',
      port: 0,
      portNamed: true,
      mode: 'multi',
      embeddingModel: 'owner/model',
      modelNamed: true,
      objects: '/data/loom/objects',
      engine: {
        maxRequestBytes: 1024,
        valueAdvisoryChars: 0,
        sensitivityAutodetect: false,
        searchKeyMatch: false,
        verdictMinConfidence: 0.75,
        bulkConflictChecks: 5,
        auditRetentionDays: 30,
        quarantineNegatives: 2,
        llm: { url: 'http://localhost:11434/v1', model: 'small', apiKey: 'sk-1', timeoutMs: 7000 },
        extractValueUpdates: true,
        consolidateEnabled: true,
        erasure: { waitSeconds: 0, maxAttempts: 2, exportConversationMaxBytes: 1000, vacuumFull: false },
        rates: { read: 1, write: 2, search: 3, bulk: 4, import: 5, admin: 0 },
        publicUrl: 'http://localhost:7788',
        checkOutputs: false,
        webhooks: DEFAULT_CONFIG.webhooks,
      },
      network: { httpProxy: '', httpsProxy: '', noProxy: '', extraCertificates: '' },
    })
    expect(client).toEqual({ baseUrl: 'https://loom.example/team', apiKey: 'loom_abc' })
  })

  test('proxies and further certificates are those that every program takes from its environment', () => {
    const env = { https_proxy: 'http://a:1', HTTPS_PROXY: 'http://b:2', NO_PROXY: 'localhost', NODE_EXTRA_CA_CERTS: '/etc/team.pem' }
    expect(toConfig(env).desktop.network).toEqual({
      httpProxy: '',
      httpsProxy: 'http://a:1',
      noProxy: 'localhost',
      extraCertificates: '/etc/team.pem',
    })
    const emptied = {
      https_proxy: '',
      HTTPS_PROXY: 'http://b:2',
      http_proxy: 'http://c:3',
      HTTP_PROXY: '',
      no_proxy: '',
      NO_PROXY: 'localhost',
    }
    expect(toConfig(emptied).desktop.network).toMatchObject({ httpProxy: 'http://c:3', httpsProxy: 'http://b:2', noProxy: 'localhost' })
  })

  test('[EXT007][CFG004] a model service needs its model, and its key is shown in no message', () => {
    expect(messageOf({ LOOM_LLM_URL: 'http://localhost:1234/v1' })).toContain('LOOM_LLM_MODEL')
    expect(messageOf({ LOOM_LLM_URL: 'ftp://x', LOOM_LLM_MODEL: 'm' })).toContain('LOOM_LLM_URL')
    expect(messageOf({ LOOM_LLM_TIMEOUT_SECONDS: '601' })).toContain('LOOM_LLM_TIMEOUT_SECONDS')
    const told = messageOf({ LOOM_LLM_API_KEY: 'with a space' })
    expect(told).toContain('LOOM_LLM_API_KEY')
    expect(told).not.toContain('with a space')
    expect(toConfig({ LOOM_LLM_MODEL: 'm', LOOM_LLM_API_KEY: 'k' }).desktop.engine.llm).toBe(null)
  })

  test('an empty variable counts as unset', () => {
    expect(toConfig({ LOOM_PORT: '', LOOM_BASE_URL: '' })).toEqual(toConfig({}))
  })

  test.each([
    ['linux', { XDG_DATA_HOME: '/x/data' }, '/x/data/Loom'],
    ['linux', {}, /\/\.local\/share\/Loom$/],
    ['darwin', {}, /\/Library\/Application Support\/Loom$/],
    ['win32', { LOCALAPPDATA: '/c/AppData/Local' }, '/c/AppData/Local/Loom'],
  ] as const)('on %s with %j the data folder is %s', (platform, env, home) => {
    expect(toConfig(env, platform).desktop.home).toMatch(home)
  })

  test.each([
    ['LOOM_PORT', '65536'],
    ['LOOM_PORT', '-1'],
    ['LOOM_PORT', '77.5'],
    ['LOOM_PORT', 'http'],
    ['LOOM_MODE', 'team'],
    ['LOOM_MAX_REQUEST_BYTES', '1023'],
    ['LOOM_MAX_REQUEST_BYTES', '32MiB'],
    ['LOOM_MEMORY_VALUE_ADVISORY_CHARS', '-1'],
    ['LOOM_MEMORY_SENSITIVITY_AUTODETECT', 'yes'],
    ['LOOM_MEMORY_SEARCH_KEY_MATCH_MODE', 'true'],
    ['LOOM_MEMORY_VERDICT_MIN_CONFIDENCE', '1.1'],
    ['LOOM_MEMORY_VERDICT_MIN_CONFIDENCE', 'Infinity'],
    ['LOOM_BULK_CONFLICT_CHECK_MAX_ENTRIES', '1001'],
    ['LOOM_BULK_CONFLICT_CHECK_MAX_ENTRIES', '-1'],
    ['LOOM_BASE_URL', 'localhost:7777'],
    ['LOOM_BASE_URL', 'ftp://loom.example'],
    ['LOOM_API_KEY', 'two words'],
  ])('%s = %j stops the start with its name', (name, value) => {
    expect(messageOf({ [name]: value })).toContain(`${name}:`)
  })

  test('all faults are told at once, and a token is never shown', () => {
    const message = messageOf({ LOOM_PORT: 'x', LOOM_MODE: 'y', LOOM_API_KEY: 'very secret' })
    expect(message).toContain('LOOM_PORT')
    expect(message).toContain('LOOM_MODE')
    expect(message).toContain('LOOM_API_KEY')
    expect(message).not.toContain('very secret')
  })

  test('every setting says what it is for', () => {
    for (const setting of Object.values(SETTINGS)) expect(setting.about.length).toBeGreaterThan(10)
  })
})
