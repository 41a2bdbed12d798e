import { describe, expect, it } from 'vitest'
import type { Link } from '../../../shared/client/link.ts'
import { isPlaceName, placedLink, placeName, placeOf } from '../../../renderer/data/places.ts'

/** A link that keeps what was sent on it, and answers as told. */
function recording(answer: Record<string, unknown> = {}): { link: Link; sent: unknown[] } {
  const sent: unknown[] = []
  const link: Link = {
    call: async (op, input) => {
      sent.push([op, input])
      return { ok: true, value: answer }
    },
    listen: () => () => undefined,
  }
  return { link, sent }
}

const ORGS = { home: 'dev', scope: 'acme' }
const call = async (op: string, input: unknown, answer: Record<string, unknown> = {}, orgs = ORGS) => {
  const { link, sent } = recording(answer)
  const reply = await placedLink(link, orgs).call(op, input, {})
  return { sent: sent[0], value: reply.ok ? reply.value : null }
}

describe('the name of a namespace in the window', () => {
  it('says the org where it is not the install’s', () => {
    expect(placeOf('local')).toEqual({ org: '', namespace: 'local' })
    expect(placeOf('acme/chat')).toEqual({ org: 'acme', namespace: 'chat' })
    expect(placeName('dev', 'local', 'dev')).toBe('local')
    expect(placeName('acme', 'chat', 'dev')).toBe('acme/chat')
    expect(['local', 'acme/chat'].every(isPlaceName)).toBe(true)
    expect(['', '/', 'acme/', '/chat', 'a/b/c', 'Acme/chat'].some(isPlaceName)).toBe(false)
  })
})

describe('a call of a window that shows two orgs', () => {
  it('goes to the org of the namespace that it names', async () => {
    expect((await call('memory.list', { namespace: 'acme/chat', limit: 5 })).sent).toEqual([
      'memory.list',
      { org: 'acme', namespace: 'chat', limit: 5 },
    ])
    expect((await call('memory.list', { namespace: 'local' })).sent).toEqual(['memory.list', { org: 'dev', namespace: 'local' }])
  })

  it('that names a row by its id goes to the org in sight, and one that names an org where it says', async () => {
    expect((await call('memory.get_by_id', { memory_id: 'm1' })).sent).toEqual(['memory.get_by_id', { memory_id: 'm1', org: 'acme' }])
    expect((await call('namespace.list', { org: 'dev' })).sent).toEqual(['namespace.list', { org: 'dev' }])
  })

  it('of no org is sent as it is', async () => {
    expect((await call('sync.status', {})).sent).toEqual(['sync.status', {}])
    expect((await call('nothing.known', { namespace: 'acme/chat' })).sent).toEqual(['nothing.known', { namespace: 'acme/chat' }])
  })

  it('names no org for a plain name while the install’s is not known', async () => {
    const orgs = { home: '', scope: 'acme' }
    expect((await call('memory.list', { namespace: 'local' }, {}, orgs)).sent).toEqual(['memory.list', { namespace: 'local' }])
    expect((await call('memory.list', { namespace: 'acme/chat' }, {}, orgs)).sent).toEqual([
      'memory.list',
      { org: 'acme', namespace: 'chat' },
    ])
  })

  it('is answered with names of the window, and values stay as they are', async () => {
    const answer = {
      rows: [{ namespace: 'chat', value: { namespace: 'of the claim' } }],
      undo: { op: 'conflicts.resolve', arguments: { namespace: 'chat', pair_id: 'p' } },
      next_cursor: null,
    }
    expect((await call('memory.list', { namespace: 'acme/chat' }, answer)).value).toEqual({
      rows: [{ namespace: 'acme/chat', value: { namespace: 'of the claim' } }],
      // A call that is offered goes back to the org that offered it.
      undo: { op: 'conflicts.resolve', arguments: { org: 'acme', namespace: 'chat', pair_id: 'p' } },
      next_cursor: null,
    })
    expect((await call('memory.list', { namespace: 'local' }, answer)).value).toBe(answer)
  })

  it('that an answer offered is sent on as it was offered', async () => {
    const offered = { org: 'acme', namespace: 'chat', pair_id: 'p', resolution: 'reopen' }
    expect((await call('conflicts.resolve', offered)).sent).toEqual(['conflicts.resolve', offered])
  })
})
