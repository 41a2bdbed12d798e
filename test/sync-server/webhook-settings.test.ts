import { describe, expect, it } from 'vitest'
import { DEFAULT_WEBHOOKS } from '../../shared/engine/webhooks/config.ts'
import { toConfig } from '../../sync-server/config.ts'
import { ENGINE_SETTINGS } from '../../shared/engine/host/engine-settings.ts'

const read = (env: Record<string, string> = {}) => toConfig({ LOOM_SERVER_HOME: '/nowhere', ...env }).engine.webhooks
const name = (setting: string): string => `LOOM_MEMORY_WEBHOOK_${setting}`

describe('the settings of webhooks', () => {
  it('have the documented defaults [CFG005, CFG007, CFG008, CFG009, CFG010, CFG011, CFG012, CFG013, CFG014, CFG015, CFG016, CFG017, CFG018, CFG019, CFG020, CFG021, CFG022, CFG026]', () => {
    expect(read()).toEqual(DEFAULT_WEBHOOKS)
    expect(DEFAULT_WEBHOOKS).toEqual({
      maxPerNamespace: 10,
      allowHttp: false,
      privateHosts: [],
      ackTimeout: 10,
      backoffSteps: [5, 30, 120, 600, 1800],
      maxBackoff: 3600,
      maxAttempts: 60,
      postsPerWebhook: 10,
      maxPostsPerPass: 40,
      concurrency: 4,
      failuresBeforeCooldown: 5,
      cooldown: 60,
      maxCooldown: 3600,
      reserve: 20,
      maxPass: 120,
      removalWindowLeases: 12,
      refresh: 10,
      deliverEnabled: true,
    })
  })

  it.each([
    ['MAX_PER_NAMESPACE', '3', { maxPerNamespace: 3 }],
    ['ALLOW_HTTP', 'true', { allowHttp: true }],
    ['PRIVATE_HOSTS', ' Hooks.Internal , 10.0.0.7,fd00:0::1', { privateHosts: ['hooks.internal', '10.0.0.7', 'fd00::1'] }],
    ['ACK_TIMEOUT_SECONDS', '7', { ackTimeout: 7 }],
    ['BACKOFF_STEPS_SECONDS', '1, 2,3', { backoffSteps: [1, 2, 3] }],
    ['MAX_BACKOFF_SECONDS', '60', { maxBackoff: 60 }],
    ['MAX_ATTEMPTS', '4', { maxAttempts: 4 }],
    ['POSTS_PER_WEBHOOK', '100', { postsPerWebhook: 100 }],
    ['MAX_POSTS_PER_PASS', '400', { maxPostsPerPass: 400 }],
    ['DELIVER_CONCURRENCY', '16', { concurrency: 16 }],
    ['FAILURES_BEFORE_COOLDOWN', '2', { failuresBeforeCooldown: 2 }],
    ['COOLDOWN_SECONDS', '9', { cooldown: 9 }],
    ['MAX_COOLDOWN_SECONDS', '90', { maxCooldown: 90 }],
    ['DELIVER_RESERVE_SECONDS', '0', { reserve: 0 }],
    ['DELIVER_MAX_PASS_SECONDS', '600', { maxPass: 600 }],
    ['REMOVAL_WINDOW_LEASES', '24', { removalWindowLeases: 24 }],
    ['REFRESH_SECONDS', '1', { refresh: 1 }],
    ['DELIVER_ENABLED', 'false', { deliverEnabled: false }],
  ] as const)('%s=%s overrides its default alone', (setting, value, expected) => {
    expect(read({ [name(setting)]: value })).toEqual({ ...DEFAULT_WEBHOOKS, ...expected })
  })

  it('refuse what does not do, naming the variable; a desktop has none of them', () => {
    for (const [setting, value] of [
      ['ACK_TIMEOUT_SECONDS', '0'],
      ['BACKOFF_STEPS_SECONDS', '5,,30'],
      ['DELIVER_ENABLED', 'no'],
      ['MAX_ATTEMPTS', 'many'],
    ] as const)
      expect(() => read({ [name(setting)]: value })).toThrow(name(setting))
    expect(Object.values(ENGINE_SETTINGS).filter((one) => one.name.includes('WEBHOOK'))).toEqual([])
  })
})
