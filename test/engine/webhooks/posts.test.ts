import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Webhook } from 'standardwebhooks'
import { v7 } from 'uuid'
import type { Claims } from '../../../shared/contract/ops/engine/info.ts'
import { insertEvents, type NewEvent } from '../../../shared/engine/store/webhook-outbox.ts'
import { ADMIN } from '../../helpers/push.ts'
import { openReceiver, status } from '../../helpers/receiver.ts'
import { CHAT, NAME, openTeam, queued, SECRET, signatureOf, type Team } from '../../helpers/webhooks.ts'

const MEMBERS = [
  'type', 'event_id', 'org', 'namespace', 'agent', 'user_id', 'session_id', 'memory_key', 'memory_id', 'version', 'actor', 'request_id',
  'erasure_id', 'occurred_at',
] // prettier-ignore

let team: Team
const lines: string[] = []
beforeAll(async () => {
  const log = pino({ level: 'error' }, new Writable({ write: (line, _encoding, done) => (lines.push(String(line)), done()) }))
  // The real time: receivers check how old a timestamp is.
  team = await openTeam({}, { log }, Date.now())
})
afterAll(() => team.close())

const sentTo = (path: string) => team.receiver.received.filter((one) => one.path === path)

describe('an event', () => {
  it('is one POST for each webhook that takes its type, signed, with fourteen members and no value [WHK001, WHK006, WHK066, WHK067, WHK068, WHK069, WHK072, WHK073, WHK074, WHK090, WHK092, WHK093, WHK105, WHK106]', async () => {
    const [a, b] = [await team.hook('/a'), await team.hook('/b'), await team.hook('/c', { events: ['memory.redacted'] })]
    const requestId = v7()
    const caller = { ...ADMIN, requestId }
    const input = {
      ...CHAT,
      user_id: 'u-42',
      memory_key: 'user/pref/tea',
      value: 'SENTINEL-VALUE',
      tags: ['SENTINEL-TAG'],
      source_trace: 'SENTINEL-TRACE',
    }
    const row = await team.loom.call('memory.set', input, caller)
    expect(await queued(team)).toHaveLength(2)
    expect(team.receiver.received).toEqual([])
    await team.pass()
    expect(team.receiver.received.map(({ path, method }) => `${method} ${path}`).toSorted()).toEqual(['POST /a', 'POST /b'])
    const [post] = sentTo('/a')
    if (!post) throw new Error('no POST')
    const event = JSON.parse(post.body) as Record<string, unknown>
    expect(Object.keys(event)).toEqual(MEMBERS)
    expect(post.body).not.toContain('SENTINEL')
    expect(event).toMatchObject({
      type: 'memory.written',
      org: 'acme',
      namespace: 'chat',
      agent: 'scribe',
      user_id: 'u-42',
      session_id: '-',
      memory_key: 'user/pref/tea',
      memory_id: row.memory_id,
      actor: 'human:root',
      request_id: requestId,
      erasure_id: '',
    })
    expect(event['event_id']).toMatch(/^[0-9a-f]{32}$/)
    expect(event['occurred_at']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(post.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Loom-Webhook/1',
      'webhook-id': event['event_id'],
      'webhook-timestamp': Math.floor(team.clock.now / 1000).toString(),
      'webhook-signature': signatureOf(post, SECRET),
    })
    const headers = post.headers as Record<string, string>
    expect(new Webhook(SECRET, { format: 'raw' }).verify(post.body, headers)).toMatchObject({ memory_key: 'user/pref/tea' })
    expect(() => new Webhook('another', { format: 'raw' }).verify(post.body, headers)).toThrow()
    expect(new Set([a, b, ...team.receiver.received.map(({ headers: h }) => h['webhook-id'])]).size).toBe(4)
  })

  it('names a memory that a receiver reads back with its own token, as far as that may [WHK007]', async () => {
    const memory_id = String(team.receiver.events()[0]?.['memory_id'])
    const readAs = (grants: Claims['grants']) =>
      team.loom
        .call('memory.get_by_id', { memory_id }, { claims: { ...ADMIN.claims, grants } })
        .catch(({ code }: { code: string }) => ({ code }))
    expect(await readAs({ chat: 'viewer' })).toMatchObject({ value: 'SENTINEL-VALUE' })
    expect(
      JSON.stringify(await readAs({ elsewhere: 'viewer' }), (_key, one: unknown) => (typeof one === 'bigint' ? `${one}` : one)),
    ).not.toContain('SENTINEL')
  })

  it('has every digit of the version, which grows with later changes of a key [WHK070, WHK138]', async () => {
    team.receiver.received.length = 0
    const versions = []
    for (const value of ['One.', 'Two.', 'Three.']) versions.push((await team.set('digits', value)).version)
    await team.loom.call('memory.delete', { ...CHAT, memory_key: 'digits' }, ADMIN)
    await team.pass()
    const told = sentTo('/a').map(({ body }) => BigInt(/"version":(\d+)/.exec(body)?.[1] ?? 0))
    expect(told.slice(0, 3)).toEqual(versions)
    expect(told).toHaveLength(4)
    expect(told.every((version, at) => at === 0 || version > (told[at - 1] ?? 0n))).toBe(true)
    expect(told.some((version) => BigInt(Number(version)) !== version)).toBe(true)
  })

  it('is signed with the bytes that the secret stands for, the same for all webhooks that name it [WHK098, WHK099]', async () => {
    const key = Buffer.from('0123456789abcdef0123456789abcdef')
    const wrapped = `whsec_${key.toString('base64').slice(0, 10)}\n  ${key.toString('base64').slice(10)}\t`
    for (const [secret, bytes] of [
      [wrapped, key],
      ['päss wörd', Buffer.from('päss wörd')],
    ] as const) {
      team.receiver.received.length = 0
      team.secrets[NAME] = secret
      await team.set('signed', `Signed with ${secret.length} characters.`)
      await team.pass()
      expect(team.receiver.received.map(({ path }) => path).toSorted()).toEqual(['/a', '/b'])
      for (const post of team.receiver.received) expect(post.headers['webhook-signature']).toBe(signatureOf(post, bytes))
    }
    team.secrets[NAME] = SECRET
  })

  it('keeps id and body over retries, with a timestamp and signature of each attempt [WHK142, WHK109]', async () => {
    team.receiver.received.length = 0
    team.receiver.answer = status(500)
    await team.set('retried', 'To be retried.')
    await team.pass()
    await team.pass(10)
    team.receiver.answer = status(204)
    await team.pass(60)
    const posts = sentTo('/a')
    expect(posts).toHaveLength(3)
    expect(new Set(posts.map(({ body }) => body)).size).toBe(1)
    expect(new Set(posts.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(posts.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(3)
    for (const post of posts) expect(post.headers['webhook-signature']).toBe(signatureOf(post, SECRET))
    expect((await team.outcomes()).at(-1)).toMatchObject({ state: 'delivered', attempts: 3, last_status: 204, last_error: '' })
  })

  it('told twice to a webhook is one event [WHK142]', async () => {
    const { version } = await team.set('twice', 'To be deleted twice.')
    const deleteVersion = () => team.loom.call('memory.delete_version', { ...CHAT, memory_key: 'twice', version }, ADMIN)
    await deleteVersion()
    const rows = () => team.loom.database.reader.selectFrom('memory_webhook_outbox').selectAll().where('memory_key', '=', 'twice').execute()
    const before = await rows()
    await deleteVersion()
    expect(await rows()).toEqual(before)
    await team.loom.database.transaction((tx) => insertEvents(tx, before as NewEvent[]))
    expect(await rows()).toEqual(before)
    const twice = new Set(before.map((row) => row.event_id))
    expect((await team.outcomes({ state: 'pending' })).filter(({ event_id }) => twice.has(event_id))).toHaveLength(before.length)
  })

  it('whose insert fails is logged and lost; the write stands [WHK143]', async () => {
    const broken = sql`ALTER TABLE loom.memory_webhook_outbox ADD CONSTRAINT broken CHECK (false) NOT VALID`
    await broken.execute(team.loom.database.reader)
    const before = await queued(team)
    await team.set('lost', 'A write that stands.')
    await sql`ALTER TABLE loom.memory_webhook_outbox DROP CONSTRAINT broken`.execute(team.loom.database.reader)
    expect(await team.loom.call('memory.get', { ...CHAT, memory_key: 'lost' }, ADMIN)).toMatchObject({ value: 'A write that stands.' })
    expect(await queued(team)).toEqual(before)
    expect(lines.filter((line) => line.includes('change events were lost'))).toHaveLength(1)
  })
})

describe('webhook.test', () => {
  it('sends one signed event now, whatever the types of the webhook, and tells the answer; it is in no queue', async () => {
    team.receiver.received.length = 0
    const webhook_id = await team.hook('/c', { events: ['memory.redacted'] })
    const before = [await queued(team), await team.outcomes()]
    const test = () => team.loom.call('webhook.test', { namespace: 'chat', webhook_id }, ADMIN)
    expect(await test()).toMatchObject({ delivered: true, status: 204, error: '' })
    const [post] = sentTo('/c')
    if (!post) throw new Error('no POST')
    expect(post.headers['webhook-signature']).toBe(signatureOf(post, SECRET))
    expect(Object.keys(JSON.parse(post.body) as object)).toEqual(MEMBERS)
    expect(JSON.parse(post.body)).toMatchObject({
      type: 'webhook.test', namespace: 'chat', agent: '-', user_id: '-', session_id: '-', memory_key: '', memory_id: '', version: 0, actor: 'human:root', erasure_id: '',
    }) // prettier-ignore
    team.receiver.answer = status(503)
    expect(await test()).toMatchObject({ delivered: false, status: 503, error: '' })
    expect(sentTo('/c')[1]?.headers['webhook-id']).not.toBe(post.headers['webhook-id'])
    team.secrets[NAME] = undefined
    expect(await test()).toMatchObject({ delivered: false, status: null, error: 'no usable secret' })
    team.secrets[NAME] = SECRET
    team.names.set('hooks.test', [])
    expect(await test()).toMatchObject({ delivered: false, status: null, error: 'address refused' })
    team.names.set('hooks.test', [{ address: '127.0.0.1', family: 4 }])
    team.receiver.answer = status(204)
    expect([await queued(team), await team.outcomes()]).toEqual(before)
  })
})

describe('over TLS', () => {
  it('the certificate must be of the name, which goes into SNI and Host; the connection goes to the checked address [WHK104]', async () => {
    const pem = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')
    const secure = await openReceiver({ key: pem('receiver-key.pem'), cert: pem('receiver-cert.pem') })
    const secrets = () => SECRET
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    const webhooks = { secretOf: secrets, resolve, ca: pem('receiver-cert.pem') }
    const other = await openTeam({ allowHttp: false, privateHosts: ['hooks.test', 'other.test'] }, { webhooks })
    try {
      const test = async (host: string) => {
        const webhook_id = await other.hook('', { url: `https://${host}:${secure.port}/tls?x=1` })
        return other.loom.call('webhook.test', { namespace: 'chat', webhook_id }, ADMIN)
      }
      expect(await test('hooks.test')).toMatchObject({ delivered: true, status: 204 })
      expect(secure.received[0]).toMatchObject({ path: '/tls?x=1', headers: { host: `hooks.test:${secure.port}` } })
      expect(await test('other.test')).toMatchObject({ delivered: false, error: 'connection: ERR_TLS_CERT_ALTNAME_INVALID' })
      expect(secure.received).toHaveLength(1)
    } finally {
      await other.close()
      await secure.close()
    }
  })
})
