import { describe, expect, it } from 'vitest'
import type { SyncStatus } from '../../../renderer/data/sync.ts'
import { agoWords, serverName, syncStanding, takingIn } from '../../../renderer/text/sync-words.ts'

const NOW = new Date('2026-09-20T12:00:00.000Z')
const at = (seconds: number): string => new Date(NOW.getTime() - seconds * 1000).toISOString()

const status = (more: Partial<SyncStatus> = {}): SyncStatus => ({
  state: 'idle',
  server_url: 'https://loom.acme.example/',
  server_id: 'srv_1',
  org: 'acme',
  subject: 'alice',
  device_id: 'dev_1',
  grants: { chat: 'writer' },
  queued: 0,
  oldest_queued_at: null,
  quarantined: 0,
  inbox: 0,
  last_push_at: null,
  last_pull_at: at(8),
  erasure_seq: 0,
  erasures_failed: [],
  judge_version_server: '2',
  shapes: [],
  error: null,
  retry_at: null,
  ...more,
})
const standing = (more: Partial<SyncStatus>) => syncStanding(status(more), NOW, 'en-GB')

describe('how the team stands, in words', () => {
  it('is nothing where no team is connected', () => {
    expect(standing({ state: 'off', org: '', server_url: '' })).toBeNull()
  })

  it('is connected, with when it was last in step and what waits', () => {
    expect(standing({})).toMatchObject({ tone: 'ok', title: 'Connected', foot: ['Synced just now', 'Nothing waiting'] })
    expect(standing({})?.sentence).toBe('Everything here is on loom.acme.example, as of just now.')
    expect(standing({ last_pull_at: at(900), queued: 2 })).toMatchObject({ foot: ['Synced 15 min ago', '2 changes waiting'] })
  })

  it('is offline as something usual: what waits, since when, and that work goes on', () => {
    const offline = standing({ state: 'offline', queued: 12, oldest_queued_at: at(3600) })
    expect(offline).toMatchObject({ tone: 'off', title: 'Offline, 12 waiting' })
    expect(offline?.sentence).toMatch(
      /^12 changes are kept here and sent when the server answers\. The oldest is from \d\d:\d\d\. You can go on working\.$/,
    )
    expect(standing({ state: 'offline', queued: 1, oldest_queued_at: at(3 * 86_400) })?.sentence).toContain('1 change is kept here')
    expect(standing({ state: 'offline', queued: 1, oldest_queued_at: at(3 * 86_400) })?.sentence).toContain('from 17 Sep.')
    expect(standing({ state: 'offline' })).toMatchObject({ title: 'Offline', foot: ['Offline', 'Nothing waiting'] })
  })

  it('needs attention where a person must look, and says for what', () => {
    expect(standing({ inbox: 2 })).toMatchObject({
      tone: 'warn',
      title: 'Needs attention',
      foot: ['Needs attention', '2 changes to look at'],
    })
    expect(standing({ inbox: 1 })?.sentence).toContain('1 change was settled otherwise on loom.acme.example')
    const failing = standing({ state: 'error', error: { code: 'INTERNAL', message: 'The disk is full.' }, retry_at: at(-60) })
    expect(failing?.sentence).toMatch(/^The disk is full\. It is tried again at \d\d:\d\d\.$/)
    expect(standing({ erasures_failed: ['er_1'] })?.foot[1]).toBe('An erasure is not finished')
  })

  it('has words for every state of the contract', () => {
    for (const state of ['connecting', 'erasing', 'syncing', 'idle', 'offline', 'paused', 'revoked', 'error'] as const) {
      const said = standing({ state, queued: 3 })
      expect(
        [said?.title, said?.sentence, ...(said?.foot ?? [])].every((words) => words !== undefined && words !== ''),
        state,
      ).toBe(true)
    }
    expect(standing({ state: 'revoked', queued: 3 })?.sentence).toContain('3 changes that the team never got')
  })

  it('counts what comes in until all of it was here once', () => {
    const shapes = [{ table: 'memory', up_to_date: false, rows: 8200, refetching: false }]
    expect(takingIn(status({ state: 'syncing', last_pull_at: null, shapes }))).toBe(8200)
    expect(standing({ state: 'syncing', last_pull_at: null, shapes })).toMatchObject({ foot: ['Taking in the team', '8,200 rows so far'] })
    expect(takingIn(status({ state: 'syncing', shapes }))).toBeNull()
  })
})

describe('times and names beside it', () => {
  it('say how long ago', () => {
    expect(agoWords(at(5), NOW, 'en-GB')).toBe('just now')
    expect(agoWords(at(720), NOW, 'en-GB')).toBe('12 min ago')
    expect(agoWords(at(86_400), NOW, 'en-GB')).toBe('yesterday')
    expect(agoWords(at(18 * 86_400), NOW, 'en-GB')).toBe('2 Sep')
  })

  it('name the server without what nobody reads', () => {
    expect(serverName('https://loom.acme.example/path/')).toBe('loom.acme.example')
    expect(serverName('http://localhost:7788')).toBe('localhost:7788')
  })
})
