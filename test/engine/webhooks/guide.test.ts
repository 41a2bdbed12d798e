import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { REGISTRY, type OpName } from '../../../shared/contract/registry.ts'
import { EVENT_TYPES } from '../../../shared/contract/webhook.ts'
import { TOLD, type Change } from '../../../shared/domain/webhook/event-of.ts'
import { WEBHOOK_SETTINGS } from '../../../shared/engine/host/webhook-settings.ts'
import { ADMIN } from '../../helpers/push.ts'
import { openTeam, SECRET, type Team } from '../../helpers/webhooks.ts'

const guide = readFileSync(join(import.meta.dirname, '../../../docs/webhooks.md'), 'utf8')
const plain = guide.replaceAll(/\s+/g, ' ')

/** The table of writes: which names stand beside which events. */
function rows(): { names: string[]; events: string[] }[] {
  const part = guide.slice(guide.indexOf('## Which write sends what'), guide.indexOf('## For operators'))
  return part
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| Write') && !line.startsWith('| ---'))
    .map((line) => {
      const [, write = '', event = ''] = line.split(' | ').length > 1 ? ['', ...line.split(' | ')] : []
      const named = (text: string) => [...text.matchAll(/`([a-z_]+(?:[.:][a-z_]+)+)`/g)].map((found) => found[1] ?? '')
      return { names: named(write), events: named(event) }
    })
}

/** Every event that the rules give for an operation or pass. */
function told(name: string): Set<string> {
  const found = new Set<string>()
  for (const rules of Object.values(TOLD)) {
    const rule = rules[name]
    if (!rule) continue
    for (const wasLive of [true, false])
      for (const before of ['active', 'tombstoned', 'superseded'])
        for (const after of ['active', 'redirect', 'tombstoned'])
          for (const content_sha256 of ['same', 'other']) {
            const change = {
              op: name,
              kind: 'revised',
              wasLive,
              before: { status: before, content_sha256: 'same' },
              after: { status: after, content_sha256 },
            }
            const event = rule(change as Change)
            if (event) found.add(event)
          }
  }
  return found
}

describe('the receiver’s guide', () => {
  it('has a table of writes that says what the rules do, and each write of memory rows is in it [WHK012]', () => {
    const table = rows()
    expect(table.length).toBeGreaterThan(25)
    const names = new Set(table.flatMap((row) => row.names))
    const ruled = new Set(Object.values(TOLD).flatMap((rules) => Object.keys(rules)))
    for (const name of new Set([...names, ...ruled])) {
      const said = new Set(table.filter((row) => row.names.includes(name)).flatMap((row) => row.events))
      expect([name, [...said].toSorted()]).toEqual([name, [...told(name)].toSorted()])
    }
    const writes = (Object.keys(REGISTRY) as OpName[]).filter(
      (op) => REGISTRY[op].kind === 'write' && /^(memory|conflicts|blacklist|review)\./.test(op),
    )
    expect(writes.filter((op) => !names.has(op))).toEqual([])
    for (const type of EVENT_TYPES) expect(guide).toContain(`\`${type}\``)
  })

  it('forbids secrets and facts in keys, and says how to keep a mirror [WHK008, WHK011]', () => {
    expect(plain).toContain('never put a secret or a fact in a key')
    for (const text of [
      'read the namespace again from time to time',
      'insert of its event failed',
      'did not know the registration yet',
      'upgraded one by one',
      '`memory.copy_to`',
      '`namespace.restore`',
      'after a `memory.reject` or a quarantine',
      '`memory.auto_retirements`',
    ])
      expect(plain).toContain(text)
  })

  it('says what to refuse, how to order, and how operators get more throughput [WHK091, WHK128, WHK137]', () => {
    for (const text of [
      'Drop a `webhook-id` that you have seen',
      'Refuse a `webhook-timestamp` more than 5 minutes off',
      'Check `org` and `namespace` of the signed body',
      'Events repeat and come in any order',
      'Order those of a key by `version`',
      'Read the row back',
      'raise the per-pass limits, the concurrency and the pass deadline together',
      'when the backlog grows, raise the pass deadline',
    ])
      expect(plain).toContain(text)
    for (const { name } of Object.values(WEBHOOK_SETTINGS)) expect(guide).toContain(`| \`${name.replace('LOOM_MEMORY_WEBHOOK_', '')}\` |`)
  })
})

interface Sample {
  verify(headers: Record<string, unknown>, body: string, secret: string, own: { org: string; namespace: string }, now: number): unknown
  isNewer(body: string, last: string | null): boolean
}

describe('the code of the guide', () => {
  let team: Team
  let sample: Sample
  beforeAll(async () => {
    team = await openTeam()
    const code = [...guide.matchAll(/```js\n([\s\S]*?)```/g)].map((found) => found[1]).join('\n')
    sample = (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`)) as Sample
    await team.hook()
  })
  afterAll(() => team.close())

  it('verifies what is sent, and refuses another secret, body, time and namespace, and a repeat [WHK091]', async () => {
    await team.set('verified', 'A value.')
    await team.pass()
    const [{ headers, body } = { headers: {}, body: '' }] = team.receiver.received
    const { now } = team.clock
    const own = { org: 'acme', namespace: 'chat' }
    expect(sample.verify(headers, body, 'another', own, now)).toMatch(/^refused/)
    expect(sample.verify(headers, `${body} `, SECRET, own, now)).toMatch(/^refused/)
    for (const late of [301_000, -301_000]) expect(sample.verify(headers, body, SECRET, own, now + late)).toMatch(/^refused/)
    expect(sample.verify(headers, body, SECRET, { ...own, namespace: 'other' }, now)).toMatch(/^refused/)
    expect(sample.verify(headers, body, SECRET, own, now)).toMatchObject({ memory_key: 'verified' })
    expect(sample.verify(headers, body, SECRET, own, now)).toBe('seen before')
  })

  it('orders by version, and on a tie puts the tombstone of a clear last, in whatever order events come [WHK140, WHK141, WHK137]', async () => {
    team.receiver.received.length = 0
    const first = await team.set('ordered', 'The first value.', { user_id: 'u9' })
    await team.set('ordered', 'The second value.', { user_id: 'u9' })
    await team.loom.call('memory.redact', { namespace: 'chat', memory_key: 'ordered', version: first.version, reason: 'x' }, ADMIN)
    await team.loom.call('memory.clear', { namespace: 'chat', user_id: 'u9', confirm_subject: 'u9' }, ADMIN)
    await team.pass()
    const bodies = team.receiver.received.map(({ body }) => body)
    expect(bodies).toHaveLength(4)
    const permuted = (items: string[]): string[][] =>
      items.length < 2
        ? [items]
        : items.flatMap((item, at) => permuted(items.filter((_, other) => other !== at)).map((rest) => [item, ...rest]))
    for (const order of permuted(bodies)) {
      let last: string | null = null
      for (const body of order) if (sample.isNewer(body, last)) last = body
      expect((JSON.parse(last ?? '{}') as { type: string }).type).toBe('memory.tombstoned')
    }
  })
})
