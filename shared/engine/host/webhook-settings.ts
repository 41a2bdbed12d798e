import { z } from 'zod'
import { DEFAULT_WEBHOOKS, type WebhookConfig } from '../webhooks/config.ts'
import { type Setting, whole, yesOrNo } from './settings.ts'

const MOST_SECONDS = 86_400

const count = (name: string, key: keyof WebhookConfig, about: string, least = 1) =>
  ({
    name: `LOOM_MEMORY_WEBHOOK_${name}`,
    expects: `a whole number from ${least} to 100000`,
    default: DEFAULT_WEBHOOKS[key] as number,
    about,
    schema: whole(least, 100_000),
  }) as const

const seconds = (name: string, key: keyof WebhookConfig, about: string, least = 1) =>
  ({
    ...count(name, key, about, least),
    expects: `a whole number of seconds from ${least} to ${MOST_SECONDS}`,
    schema: whole(least, MOST_SECONDS),
  }) as const

const flag = (name: string, key: keyof WebhookConfig, about: string) =>
  ({
    name: `LOOM_MEMORY_WEBHOOK_${name}`,
    expects: 'true or false',
    default: DEFAULT_WEBHOOKS[key] as boolean,
    about,
    schema: yesOrNo,
  }) as const

const items = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

/** A host as a URL has it, so that they are equal. */
function hostAsInUrl(text: string): string {
  const url = `https://${text.includes(':') && !text.startsWith('[') ? `[${text}]` : text}/`
  return URL.canParse(url) ? new URL(url).hostname.replaceAll(/^\[|\]$/g, '') : text.toLowerCase()
}

/** The settings of change webhooks, which a server alone reads. */
export const WEBHOOK_SETTINGS = {
  webhookMaxPerNamespace: count('MAX_PER_NAMESPACE', 'maxPerNamespace', 'Webhooks of a namespace.', 0),
  webhookAllowHttp: flag('ALLOW_HTTP', 'allowHttp', 'http URLs, for a receiver in development.'),
  webhookPrivateHosts: {
    name: 'LOOM_MEMORY_WEBHOOK_PRIVATE_HOSTS',
    expects: 'host names and addresses, with commas between',
    default: DEFAULT_WEBHOOKS.privateHosts,
    about: 'Hosts exempt from the address check.',
    schema: z.string().transform((text) => items(text).map(hostAsInUrl)),
  },
  webhookAckTimeout: seconds('ACK_TIMEOUT_SECONDS', 'ackTimeout', 'From the look-up of the name to the status line.'),
  webhookBackoffSteps: {
    name: 'LOOM_MEMORY_WEBHOOK_BACKOFF_STEPS_SECONDS',
    expects: 'whole numbers of seconds, with commas between',
    default: DEFAULT_WEBHOOKS.backoffSteps,
    about: 'First waits between attempts.',
    schema: z
      .string()
      .regex(/^\s*\d{1,6}(\s*,\s*\d{1,6})*\s*$/)
      .transform((text) => items(text).map(Number)),
  },
  webhookMaxBackoff: seconds('MAX_BACKOFF_SECONDS', 'maxBackoff', 'Later waits, and cap of all.'),
  webhookMaxAttempts: count('MAX_ATTEMPTS', 'maxAttempts', 'Attempts, then the event is dead.'),
  webhookPostsPerWebhook: count('POSTS_PER_WEBHOOK', 'postsPerWebhook', 'POSTs of one webhook in a pass.'),
  webhookMaxPostsPerPass: count('MAX_POSTS_PER_PASS', 'maxPostsPerPass', 'POSTs of a pass in all.'),
  webhookConcurrency: count('DELIVER_CONCURRENCY', 'concurrency', 'POSTs at once.'),
  webhookFailures: count('FAILURES_BEFORE_COOLDOWN', 'failuresBeforeCooldown', 'Failed POSTs in a row before a cooldown.'),
  webhookCooldown: seconds('COOLDOWN_SECONDS', 'cooldown', 'First cooldown; it doubles.'),
  webhookMaxCooldown: seconds('MAX_COOLDOWN_SECONDS', 'maxCooldown', 'Longest cooldown.'),
  webhookReserve: seconds('DELIVER_RESERVE_SECONDS', 'reserve', 'End of a pass kept for storing outcomes.', 0),
  webhookMaxPass: seconds('DELIVER_MAX_PASS_SECONDS', 'maxPass', 'Deadline of a pass.'),
  webhookRemovalWindow: count(
    'REMOVAL_WINDOW_LEASES',
    'removalWindowLeases',
    'How long a pass still ends the events of a removed webhook, in leases of 150 s.',
  ),
  webhookRefresh: seconds('REFRESH_SECONDS', 'refresh', 'Age of a process’s list of webhooks.'),
  webhookDeliverEnabled: flag('DELIVER_ENABLED', 'deliverEnabled', 'false: events are stored, and not sent.'),
} as const satisfies Record<string, Setting<number> | Setting<boolean> | Setting<readonly string[]> | Setting<readonly number[]>>

/** @param read reads one setting of the environment */
export function readWebhookConfig(read: <T>(setting: Setting<T>) => T): WebhookConfig {
  const of = WEBHOOK_SETTINGS
  return {
    maxPerNamespace: read<number>(of.webhookMaxPerNamespace),
    allowHttp: read<boolean>(of.webhookAllowHttp),
    privateHosts: read<readonly string[]>(of.webhookPrivateHosts),
    ackTimeout: read<number>(of.webhookAckTimeout),
    backoffSteps: read<readonly number[]>(of.webhookBackoffSteps),
    maxBackoff: read<number>(of.webhookMaxBackoff),
    maxAttempts: read<number>(of.webhookMaxAttempts),
    postsPerWebhook: read<number>(of.webhookPostsPerWebhook),
    maxPostsPerPass: read<number>(of.webhookMaxPostsPerPass),
    concurrency: read<number>(of.webhookConcurrency),
    failuresBeforeCooldown: read<number>(of.webhookFailures),
    cooldown: read<number>(of.webhookCooldown),
    maxCooldown: read<number>(of.webhookMaxCooldown),
    reserve: read<number>(of.webhookReserve),
    maxPass: read<number>(of.webhookMaxPass),
    removalWindowLeases: read<number>(of.webhookRemovalWindow),
    refresh: read<number>(of.webhookRefresh),
    deliverEnabled: read<boolean>(of.webhookDeliverEnabled),
  }
}
