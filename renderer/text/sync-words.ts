import type { SyncStatus } from '../data/sync.ts'
import { count, listDate, timeOfDay } from './when.ts'

/** How syncing stands, in the words of the foot of the window and of Settings. */
export interface Standing {
  readonly tone: 'ok' | 'off' | 'warn'
  /** In a word or two. */
  readonly title: string
  /** The two lines of the foot. */
  readonly foot: readonly [string, string]
  /** What it means, and what happens next. */
  readonly sentence: string
}

type Said = Omit<Standing, 'tone'>

const changes = (amount: number, locale: string): string => (amount === 1 ? '1 change' : `${count(amount, locale)} changes`)
const rows = (amount: number, locale: string): string => (amount === 1 ? '1 row' : `${count(amount, locale)} rows`)
const are = (amount: number): string => (amount === 1 ? 'is' : 'are')

/** The server as people name it. */
export function serverName(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}

/** `just now`, `12 min ago`, `yesterday`, `2 Sep`: when it last was in step. */
export function agoWords(iso: string, now: Date, locale: string): string {
  const at = listDate(iso, now, locale)
  if (!locale.startsWith('en')) return at
  if (/ (?:min|h)$/.test(at)) return `${at} ago`
  if (at === 'now') return 'just now'
  return at === 'Yesterday' ? 'yesterday' : at
}

const syncedAt = ({ last_pull_at, last_push_at }: SyncStatus): string | null =>
  [last_pull_at, last_push_at].reduce((a, b) => (b !== null && (a === null || b > a) ? b : a), null)

/** Rows taken in so far, while a team's memories are not here whole for the first time; null once they were. */
export function takingIn({ state, shapes, last_pull_at }: SyncStatus): number | null {
  const isFirst = last_pull_at === null && (state === 'syncing' || state === 'connecting' || state === 'erasing')
  return isFirst ? shapes.reduce((sum, shape) => sum + shape.rows, 0) : null
}

/** Null where no team is connected: then there is nothing to say. */
export function syncStanding(status: SyncStatus, now: Date, locale: string): Standing | null {
  if (status.org === '' || status.state === 'off') return null
  const server = serverName(status.server_url)
  switch (status.state) {
    case 'connecting':
      return { tone: 'off', ...connecting(server) }
    case 'erasing':
      return { tone: 'off', ...erasing(server) }
    case 'offline':
      return { tone: 'off', ...offline(status, now, locale) }
    case 'paused':
      return { tone: 'off', ...paused(status, locale) }
    case 'revoked':
      return { tone: 'warn', ...revoked(status, server, locale) }
    case 'error':
      return { tone: 'warn', ...failing(status, locale) }
    case 'syncing':
    case 'idle':
      return inStep(status, server, now, locale)
  }
}

const connecting = (server: string): Said => ({
  title: 'Connecting',
  foot: ['Connecting', server],
  sentence: `Asking ${server} what is new. You can go on working.`,
})

const erasing = (server: string): Said => ({
  title: 'Checking erasures',
  foot: ['Checking erasures', 'before anything else'],
  sentence: `What the team had erased on ${server} goes from here first; then syncing goes on.`,
})

function waiting(amount: number, oldest: string | null, locale: string): string {
  if (amount === 0) return 'Nothing waits.'
  const since = oldest === null ? '' : ` The oldest is from ${timeOfDay(oldest, locale)}.`
  return `${changes(amount, locale)} ${are(amount)} kept here and sent when the server answers.${since}`
}

function offline({ queued, oldest_queued_at: oldest }: SyncStatus, now: Date, locale: string): Said {
  const title = queued ? `Offline, ${count(queued, locale)} waiting` : 'Offline'
  const isToday = oldest === null || now.toDateString() === new Date(oldest).toDateString()
  const kept = isToday
    ? waiting(queued, oldest, locale)
    : `${changes(queued, locale)} ${are(queued)} kept here and sent when the server answers. The oldest is from ${agoWords(oldest, now, locale)}.`
  return {
    title,
    foot: [title, queued ? 'Sent once it answers' : 'Nothing waiting'],
    sentence: `${kept} You can go on working.`,
  }
}

function paused({ queued }: SyncStatus, locale: string): Said {
  const title = queued ? `Paused, ${count(queued, locale)} waiting` : 'Paused'
  return {
    title,
    foot: [title, 'Nothing is sent or taken in'],
    sentence: `Syncing is turned off on this computer. ${waiting(queued, null, locale)}`,
  }
}

function revoked({ queued }: SyncStatus, server: string, locale: string): Said {
  const kept = queued ? `, ${changes(queued, locale)} that the team never got among it` : ''
  return {
    title: 'Not let in any more',
    foot: ['Not let in any more', 'What is here stays'],
    sentence: `${server} does not take this device any more. What is here stays readable${kept}. To go on, disconnect below, and connect with a new link.`,
  }
}

function failing({ error, retry_at, queued }: SyncStatus, locale: string): Said {
  const again = retry_at === null ? '' : ` It is tried again at ${timeOfDay(retry_at, locale)}.`
  return {
    title: 'Needs attention',
    foot: ['Needs attention', 'Syncing does not go on'],
    sentence: `${error?.message ?? 'Syncing stopped.'}${again}${queued ? ` ${waiting(queued, null, locale)}` : ''}`,
  }
}

function inStep(status: SyncStatus, server: string, now: Date, locale: string): Standing {
  const { inbox, queued, erasures_failed: failed } = status
  const taken = takingIn(status)
  if (taken !== null) {
    const sentence = `${rows(taken, locale)} of the team ${are(taken)} here. Until all are, answers may lack some.`
    return { tone: 'off', title: 'Taking in the team', foot: ['Taking in the team', `${rows(taken, locale)} so far`], sentence }
  }
  if (failed.length > 0) {
    const sentence = `${failed.length === 1 ? 'An erasure' : `${count(failed.length, locale)} erasures`} of the team could not be finished here. It is tried again by itself; what it covers stays hidden.`
    return { tone: 'warn', title: 'Needs attention', foot: ['Needs attention', 'An erasure is not finished'], sentence }
  }
  if (inbox > 0) {
    const sentence = `${changes(inbox, locale)} ${inbox === 1 ? 'was' : 'were'} settled otherwise on ${server} than here. Your texts are kept.`
    return { tone: 'warn', title: 'Needs attention', foot: ['Needs attention', `${changes(inbox, locale)} to look at`], sentence }
  }
  const at = syncedAt(status)
  const when = at === null ? '' : `, as of ${agoWords(at, now, locale)}`
  const sent = queued ? `${changes(queued, locale)} ${are(queued)} on the way to ${server}.` : `Everything here is on ${server}${when}.`
  return {
    tone: 'ok',
    title: 'Connected',
    foot: [
      at === null ? 'Connected' : `Synced ${agoWords(at, now, locale)}`,
      queued ? `${changes(queued, locale)} waiting` : 'Nothing waiting',
    ],
    sentence: sent,
  }
}
