import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parseJson } from '../../../shared/contract/json.ts'
import type { ExternalEraser } from '../../../shared/engine/erasure/external/eraser.ts'
import { DEFAULT_ERASURE } from '../../../shared/engine/erasure/config.ts'
import { ADMIN, ORG } from '../../helpers/push.ts'
import { openTeam, queued, type Team } from '../../helpers/webhooks.ts'

/** A purge goes through every table. */
vi.setConfig({ testTimeout: 120_000 })

/** What webhooks hear of an erasure, and what becomes of events that wait. */

describe('memory.erased', () => {
  let team: Team
  let fault: unknown
  const eraser: ExternalEraser = {
    name: 'traces',
    async erase() {
      if (fault !== null) throw fault
      return { affected: 0 }
    },
  }
  beforeEach(async () => {
    fault = null
    team = await openTeam({}, { erasure: { erasers: [eraser] }, config: { erasure: { ...DEFAULT_ERASURE, waitSeconds: 300 } } })
  })
  afterEach(() => team.close())

  const erase = (more = {}) =>
    team.loom.call(
      'erasure.request',
      { org: ORG, scope_type: 'user_id', scope_value: 'u-1', requester: 'dpo@acme.example', ...more },
      ADMIN,
    )
  const erased = async (id: string) => (await queued(team, id)).filter(({ type }) => type === 'memory.erased')

  it('[WHK033] [WHK075] [WHK076] [WHK077] goes to the webhooks of the namespace, and names the erasure and nobody', async () => {
    const chat = await team.hook('/chat')
    const ops = await team.hook('/ops', { namespace: 'ops' })
    await team.set('tea', 'Drinks tea.')
    const answer = await erase({ scope_type: 'namespace', scope_value: 'chat' })
    expect(await erased(ops)).toEqual([])
    const [event] = await erased(chat)
    expect(parseJson(event?.body ?? '')).toMatchObject({
      type: 'memory.erased', org: ORG, namespace: 'chat', agent: '-', user_id: '-', session_id: '-', memory_key: '', memory_id: '', version: 0, actor: '-',
      request_id: '', erasure_id: answer.erasure_id,
    }) // prettier-ignore
    expect(event?.body).not.toContain('dpo@acme')
    await team.pass()
    expect(team.receiver.received.map(({ body }) => (parseJson(body) as { type: string }).type)).toEqual(['memory.erased'])
  })

  it('[WHK078] of a user goes to every webhook of the org that takes it, each under its own namespace', async () => {
    const [chat, ops, mute] = [
      await team.hook('/chat'),
      await team.hook('/ops', { namespace: 'ops' }),
      await team.hook('/mute', { namespace: 'mute', events: ['memory.written'] }),
    ]
    await erase()
    const seen = async (id: string) => (await erased(id)).map(({ body }) => (parseJson(body) as { namespace: string }).namespace)
    expect([await seen(chat), await seen(ops), await seen(mute)]).toEqual([['chat'], ['ops'], []])
  })

  it('[WHK035] is not sent for an erasure that failed, until it completes', async () => {
    const chat = await team.hook('/chat')
    await team.set('tea', 'Drinks tea.', { user_id: 'u-1' })
    fault = new Error('away')
    expect((await erase()).status).toBe('failed')
    expect(await erased(chat)).toEqual([])
    fault = null
    await team.pass(120)
    const delivered = await team.outcomes()
    expect(delivered.filter(({ type }) => type === 'memory.erased')).toHaveLength(1)
  })

  it('[WHK146] [WHK147] [WHK136] takes the events that wait in its scope; their outcomes stay and name nobody', async () => {
    const chat = await team.hook('/chat')
    await team.set('tea', 'Drinks tea.', { user_id: 'u-1' })
    await team.set('milk', 'Drinks milk.', { user_id: 'u-2' })
    expect((await queued(team, chat)).map(({ memory_key }) => memory_key).toSorted()).toEqual(['milk', 'tea'])
    await erase({ purge: true })
    expect((await queued(team, chat)).map(({ memory_key }) => memory_key).toSorted()).toEqual(['', 'milk'])
    const dead = (await team.outcomes()).filter(({ state }) => state === 'dead')
    expect(dead).toMatchObject([{ last_error: 'memory erased', type: 'memory.written' }])
    await team.pass()
    const told = team.receiver.received.map(({ body }) => (parseJson(body) as { memory_key: string }).memory_key)
    expect(told.toSorted()).toEqual(['', 'milk'])
    const { rows } = await sql<{ name: string }>`SELECT column_name::text AS name FROM information_schema.columns
      WHERE table_schema = 'loom' AND table_name = 'memory_webhook_delivery'`.execute(team.loom.database.reader)
    expect(rows.map((row) => row.name).filter((name) => /key|user|agent|session|memory_id|body/.test(name))).toEqual([])
  })

  it('[WHK033] collection.delete tells its namespace, takes originals, and leaves other collections alone', async () => {
    const chat = await team.hook('/chat')
    const add = (collection: string, document_key: string) =>
      team.loom.call(
        'knowledge.add',
        { namespace: 'chat', agent: 'scribe', collection, document_key, text: `# ${document_key}\n\nQuoll92 wrote this.` },
        ADMIN,
      )
    await add('old', 'a')
    await add('new', 'b')
    const missing = team.loom.call('collection.delete', { namespace: 'chat', collection: 'none' }, ADMIN)
    await expect(missing).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const answer = await team.loom.call('collection.delete', { namespace: 'chat', collection: 'old', purge: true }, ADMIN)
    expect(answer).toMatchObject({
      status: 'completed',
      purge: true,
      residue: {},
      census: { 'pg:knowledge_document': 0, 'objects.document_originals': 0 },
    })
    expect(answer.census).not.toHaveProperty('pg:memory')
    const listed = await team.loom.call('collection.list', { namespace: 'chat' }, ADMIN)
    expect(listed.collections.map(({ collection }) => collection)).toEqual(['new'])
    expect(
      (await team.loom.call('knowledge.get', { namespace: 'chat', collection: 'new', document_key: 'b', original: true } as never, ADMIN))
        .found,
    ).toBe(true)
    expect((await erased(chat)).map(({ body }) => (parseJson(body) as { erasure_id: string }).erasure_id)).toEqual([answer.erasure_id])
    const told = await team.loom.call('erasure.status', { erasure_id: answer.erasure_id }, ADMIN)
    expect(told).toMatchObject({ scope_type: 'collection', scope_value: 'chat/old', requester: expect.stringContaining(':') as string })
    const claims = { ...ADMIN.claims, grants: { chat: 'writer' as const } }
    expect((await team.loom.call('erasure.status', { erasure_id: answer.erasure_id }, { claims })).found).toBe(false)
    await expect(team.loom.call('collection.delete', { namespace: 'chat', collection: 'new' }, { claims })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
  })
})
