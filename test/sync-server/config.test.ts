import { describe, expect, test } from 'vitest'
import { SETTINGS, toConfig } from '../../sync-server/config.ts'

const messageOf = (env: Record<string, string>): string => {
  try {
    toConfig(env)
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

describe('settings of the server', () => {
  test('have the documented defaults', () => {
    expect(toConfig({ XDG_DATA_HOME: '/x' }, 'linux')).toEqual({
      home: '/x/Loom Server',
      port: 7788,
      host: '127.0.0.1',
      publicUrl: null,
      mode: 'multi',
      org: 'team',
      store: { kind: 'pglite', dataDir: '/x/Loom Server/db' },
      electricUrl: null,
      embeddingModel: 'all-MiniLM-L6-v2',
      objects: '/x/Loom Server/objects',
      externalErasers: [],
      network: { httpProxy: '', httpsProxy: '', noProxy: '', extraCertificates: '' },
      engine: expect.objectContaining({
        maxRequestBytes: 33_554_432,
        valueAdvisoryChars: 30_000,
        sensitivityAutodetect: true,
        searchKeyMatch: true,
        verdictMinConfidence: 0.6,
      }) as object,
    })
  })

  test('read the erasure settings of a server', () => {
    const config = toConfig(
      { XDG_DATA_HOME: '/x', LOOM_EXTERNAL_ERASERS: ' https://a.example/x , ./mine.mjs,', LOOM_ERASURE_VACUUM_FULL: 'true' },
      'linux',
    )
    expect(config.externalErasers).toEqual(['https://a.example/x', './mine.mjs'])
    expect(config.engine.erasure).toMatchObject({ vacuumFull: true, waitSeconds: 20 })
  })

  test('are overridden by the environment', () => {
    const config = toConfig({
      LOOM_SERVER_HOME: '/data',
      LOOM_SERVER_PORT: '0',
      LOOM_HOST: '0.0.0.0',
      LOOM_PUBLIC_URL: 'https://Loom.example/',
      LOOM_ORG: 'acme.eu',
      DATABASE_URL: 'postgres://loom:pw@db.example:5433/loom?sslmode=require',
      ELECTRIC_URL: 'http://electric:3000/?secret=hunter2',
      LOOM_EMBEDDING_MODEL: 'owner/model',
      LOOM_OBJECTS_DIR: '/volume/objects',
      LOOM_MAX_REQUEST_BYTES: '2048',
      LOOM_MEMORY_SEARCH_KEY_MATCH_MODE: 'off',
    })
    expect(config).toMatchObject({
      home: '/data',
      port: 0,
      host: '0.0.0.0',
      publicUrl: 'https://Loom.example',
      org: 'acme.eu',
      store: { kind: 'postgres', url: 'postgres://loom:pw@db.example:5433/loom?sslmode=require' },
      electricUrl: 'http://electric:3000/?secret=hunter2',
      objects: '/volume/objects',
      embeddingModel: 'owner/model',
      engine: { maxRequestBytes: 2048, searchKeyMatch: false },
    })
    expect(toConfig({ LOOM_MODE: 'single', LOOM_HOST: '::1' })).toMatchObject({ mode: 'single', host: '::1' })
  })

  test.each([
    ['darwin', {}, /\/Library\/Application Support\/Loom Server$/],
    ['win32', { LOCALAPPDATA: '/c/AppData/Local' }, '/c/AppData/Local/Loom Server'],
  ] as const)('on %s with %j the data folder is %s', (platform, env, home) => {
    expect(toConfig(env, platform).home).toMatch(home)
  })

  test.each([
    ['LOOM_SERVER_PORT', '65536'],
    ['LOOM_SERVER_PORT', 'seven'],
    ['LOOM_HOST', 'not an address'],
    ['LOOM_HOST', '127.0.0.1:7788'],
    ['LOOM_PUBLIC_URL', 'loom.example'],
    ['LOOM_PUBLIC_URL', 'ftp://loom.example'],
    ['LOOM_MODE', 'team'],
    ['LOOM_ORG', 'dev'],
    ['LOOM_ORG', 'Acme'],
    ['DATABASE_URL', 'mysql://db/loom'],
    ['DATABASE_URL', 'db.example/loom'],
    ['ELECTRIC_URL', 'electric:3000'],
    ['ELECTRIC_URL', 'http://electric:3000'],
    ['LOOM_MAX_REQUEST_BYTES', '1023'],
    ['LOOM_MEMORY_VERDICT_MIN_CONFIDENCE', '2'],
  ])('%s = %j stops the start with its name', (name, value) => {
    expect(messageOf({ [name]: value })).toContain(`${name}:`)
  })

  test('single mode on an address that others reach is refused, naming both settings', () => {
    for (const host of ['0.0.0.0', '::', '192.168.1.5', 'loom.example']) {
      const message = messageOf({ LOOM_MODE: 'single', LOOM_HOST: host })
      expect(message).toContain('LOOM_HOST:')
      expect(message).toContain('LOOM_MODE')
    }
    for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '::1']) expect(messageOf({ LOOM_MODE: 'single', LOOM_HOST: host })).toBe('')
  })

  test('the password of a database is never shown', () => {
    expect(messageOf({ DATABASE_URL: 'postgre://loom:hunter2@db/loom' })).not.toContain('hunter2')
  })

  test('every setting says what it is for', () => {
    for (const setting of Object.values(SETTINGS)) expect(setting.about.length).toBeGreaterThan(10)
  })
})
