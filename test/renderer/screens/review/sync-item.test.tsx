import { QueryClient } from '@tanstack/react-query'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { LoomError } from '../../../../shared/contract/errors.ts'
import { InboxChange, type InboxItem } from '../../../../shared/contract/ops/sync/inbox.ts'
import { choicesOf, dropFromInbox, isInInbox, mainOf } from '../../../../renderer/data/inbox.ts'
import { SYNC } from '../../../../renderer/screens/review/sync-strings.ts'
import { differing, SyncSides } from '../../../../renderer/screens/review/sync-side.tsx'
import { syncRefusal } from '../../../../renderer/screens/review/use-decide-sync.ts'

const item = (more: Partial<InboxItem> = {}): InboxItem => ({
  item_id: 's_1',
  change: 'value_replaced',
  change_id: 'c1',
  op: 'memory.set',
  identity: { org: 'acme', namespace: 'chat', agent: 'ops-bot', user_id: '-', session_id: '-' },
  memory_key: 'team/lead/mobile',
  mine: {
    value: 'Aylin Kaya leads the mobile team.',
    recorded_at: '2026-09-20T10:02:00.000Z',
    conflict_verdict: 'clear',
    status: 'active',
  },
  server: {
    value: 'Jonas Weber leads the mobile team.',
    version: 2n,
    version_text: '2',
    content_sha256: 'sha',
    actor: 'human:jonas',
    conflict_verdict: 'conflict',
    status: 'conflicted',
  },
  code: '',
  message: '',
  peers: [],
  choices: ['accept', 'mine'],
  created_at: '2026-09-20T10:05:00.000Z',
  closed_at: null,
  closed_by: '',
  ...more,
})
const withServer = (value: string): InboxItem => ({ ...item(), server: { ...item().server!, value } })

const NOW = new Date('2026-09-20T10:06:00.000Z')

describe('a change that the server settled otherwise', () => {
  it('shows both texts as text, with the words marked that the other does not have', () => {
    const html = renderToStaticMarkup(<SyncSides item={withServer('<img src=x onerror=alert(1)> leads the mobile team.')} now={NOW} />)
    expect(html).not.toContain('<img')
    expect(html).toContain('&lt;img')
    expect(html).toContain('<mark>Aylin Kaya</mark>')
    expect(html).toContain('The server keeps, by jonas')
  })

  it('shows a text once where the server has the same', () => {
    const same = withServer('Aylin Kaya leads the mobile team.')
    expect(renderToStaticMarkup(<SyncSides item={same} now={NOW} />).match(/Aylin Kaya/g)).toHaveLength(1)
    // Writing it again would change nothing.
    expect(choicesOf(same)).toEqual(['accept'])
  })

  it('is summed up by what differs', () => {
    expect(differing('Aylin Kaya leads the mobile team.', 'Jonas Weber leads the mobile team.')).toBe('Aylin Kaya')
    expect(differing('The same.', 'The same.')).toBe('The same')
    expect(SYNC.summary(item(), 'Aylin Kaya', 'Jonas Weber')).toBe('You wrote Aylin Kaya; the server kept Jonas Weber.')
  })

  it('offers what the contract lists, the accent on what would be lost otherwise', () => {
    expect(choicesOf(item())).toEqual(['mine', 'accept'])
    expect(mainOf(item())).toBe('mine')
    expect(mainOf(item({ change: 'verdict_changed' }))).toBe('accept')
    expect(mainOf(item({ change: 'quarantined', choices: ['retry', 'accept'] }))).toBe('retry')
    expect(mainOf(item({ change: 'quarantined', choices: ['accept'] }))).toBe('accept')
  })

  it('says of every change and choice what it does, before it is made', () => {
    for (const change of InboxChange.options) {
      const one = item({ change })
      expect(SYNC.lead(one), change).not.toBe('')
      for (const choice of ['accept', 'mine', 'retry'] as const) {
        expect(SYNC.does(one, choice).startsWith(SYNC.choices(one)[choice]), `${change} ${choice}`).toBe(true)
        expect(SYNC.said(one, choice), `${change} ${choice}`).not.toBe('')
      }
    }
  })

  it('says where one’s own text is when the server’s stands', () => {
    expect(SYNC.does(item(), 'accept')).toContain('Yours stays in the history')
    expect(SYNC.does(item({ change: 'reverted', code: 'LOCKED' }), 'accept')).toContain('Yours stays in the history')
    expect(SYNC.does(item({ change: 'reverted', code: 'BLACKLISTED' }), 'accept')).toContain('Yours is on no server')
    expect(SYNC.does(item({ server: null }), 'mine')).toContain('under the key anew')
  })
})

describe('a choice that was refused', () => {
  it('comes back with the reason, unless there is nothing left to choose', () => {
    expect(syncRefusal(new LoomError('PRECONDITION_FAILED', 'x'))).toMatchObject({
      gone: false,
      why: expect.stringMatching(/changed again since/),
    })
    expect(syncRefusal(new LoomError('NOT_FOUND', 'x'))).toMatchObject({ gone: true })
    expect(syncRefusal(new LoomError('LOCKED', 'x', { memory_key: 'k', locked_by: 'human:lena' }))).toMatchObject({
      gone: false,
      why: 'Nothing was changed: k is locked by lena.',
    })
  })
})

describe('the inbox', () => {
  it('loses what was decided, and its counts with it', async () => {
    const cache = new QueryClient()
    const items = [item(), item({ item_id: 's_2', change: 'lost_on_server' }), item({ item_id: 's_3', change: 'lost_on_server' })]
    cache.setQueryData(['sync', 'inbox'], { items, counts: { value_replaced: 1, lost_on_server: 2 }, next_cursor: null })
    await dropFromInbox(cache, (one) => one.change === 'lost_on_server')
    expect(cache.getQueryData(['sync', 'inbox'])).toMatchObject({
      items: [{ item_id: 's_1' }],
      counts: { value_replaced: 1, lost_on_server: 0 },
    })
    expect([isInInbox(cache, 's_1'), isInInbox(cache, 's_2')]).toEqual([true, false])
  })
})
