import type { EventType } from '../../../shared/contract/webhook.ts'
import { locale } from '../../state/locale.ts'
import { count } from '../../text/when.ts'

const events = (amount: number): string => (amount === 1 ? '1 event' : `${count(amount, locale)} events`)

export const WEBHOOKS = {
  title: 'Webhooks',
  lead: (namespace: string) =>
    `Each change of a memory in ${namespace} is told to the addresses below, by one signed request from the team’s server. It names the memory and never says what it holds.`,
  namespace: 'Namespace',
  none: 'Nobody is told yet',
  noneNext: 'Register an address below. It hears of every change from then on.',
  notYours: 'There are no webhooks for you to see',
  notYoursNext: 'They belong to a namespace of a team’s server, and only its admins see them. Connect to a team, or ask an admin of yours.',
  loading: 'Asking the server…',
  failed: 'The server does not say which webhooks there are.',
}

export const WEBHOOK = {
  secret: 'Secret',
  present: 'The server has it',
  missing: 'The server lacks it: events wait, and are dropped after 2½ days',
  takes: 'Takes',
  all: 'every kind of change',
  waiting: 'Waiting',
  nothing: 'nothing',
  pending: events,
  latest: 'Latest attempt',
  noneYet: 'none yet',
  ok: 'taken',
  test: 'Send a test event',
  testing: 'Sending…',
  testOf: (address: string) => `Send a test event to ${address}`,
  took: (status: number, ms: number) => `The receiver took the test event: ${status}, in ${count(ms, locale)} ms.`,
  refusedIt: (why: string) => `The receiver did not take the test event: ${why}.`,
  notSent: (why: string) => `No test event was sent. ${why}`,
  remove: 'Remove…',
  removeOf: (address: string) => `Remove ${address}`,
  removeTitle: (address: string) => `Remove ${address}?`,
  removeLead: 'It is told of nothing any more.',
  dropped: (amount: number) => `${events(amount)} that ${amount === 1 ? 'waits' : 'wait'} will not be sent.`,
  go: 'Remove',
  going: 'Removing…',
  keep: 'Keep it',
  removed: (amount: number) => `is told of nothing any more.${amount === 0 ? '' : ` ${events(amount)} will not be sent.`}`,
  notRemoved: (why: string) => `It is still there. ${why}`,
}

export const ERRORS: Readonly<Record<string, string>> = {
  'no usable secret': 'the server has no usable secret',
  timeout: 'no answer within 10 seconds',
  'address refused': 'its address is not public',
}

export const noConnection = (code: string): string => `no connection (${code})`

export const REGISTER = {
  title: 'Register an address',
  url: 'Address of the receiver',
  urlHint: 'It must be public, and begin with https. An address that is registered already is changed.',
  secret: 'Variable of the server that holds the signing secret',
  secretHint: (prefix: string) => `Its name begins with ${prefix}. The secret itself is never typed here.`,
  events: 'Tell it of',
  kinds: {
    'memory.written': 'new memories',
    'memory.revised': 'changed memories',
    'memory.tombstoned': 'deleted memories',
    'memory.restored': 'restored memories',
    'memory.redacted': 'redacted versions',
    'memory.erased': 'erasures',
  } satisfies Record<EventType, string>,
  go: 'Register',
  going: 'Registering…',
  registered: 'is told of changes from now on.',
  replaced: 'was registered already, and is changed.',
  refused: (why: string) => `Nothing was registered. ${why}`,
  faults: {
    noUrl: 'Type the address, such as https://hooks.example.com/loom.',
    badUrl: 'This is no web address. It begins with https://.',
    noSecret: 'Type the name of the variable.',
    noEvents: 'Choose at least one kind of change.',
    address: 'The server refuses this address: it must begin with https, and its host must be public.',
  },
}

export const DELIVERIES = {
  title: 'Recent deliveries',
  lead: 'Of the last 3 days, newest first.',
  state: 'Show',
  states: { all: 'All', pending: 'Waiting', delivered: 'Delivered', dead: 'Given up' },
  when: 'Changed',
  what: 'Event',
  to: (address: string) => `to ${address}`,
  outcome: 'What became of it',
  gone: 'a removed webhook',
  delivered: 'Delivered',
  pending: 'Waiting',
  dead: 'Given up',
  attempts: (amount: number) => (amount === 1 ? '1 attempt' : `${count(amount, locale)} attempts`),
  next: (when: string) => `next at ${when}`,
  none: 'No event.',
  noneOf: 'No event in this state.',
  more: 'Show more',
  failed: 'The server does not say what it sent.',
}
