import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ID5_FIELDS } from '../../../shared/contract/common.ts'
import type { Claims } from '../../../shared/contract/ops/engine/info.ts'
import type { OpContract } from '../../../shared/contract/declare.ts'
import { REGISTRY, type OpName } from '../../../shared/contract/registry.ts'
import { localClaims } from '../../../shared/engine/caller.ts'
import { newDeviceKey } from '../../helpers/device-key.ts'
import { NO_MODELS, openTestEngine, testCaller, type TestEngine } from '../../helpers/engine.ts'
import { CALLS, FORWARDED_READS, LOOK_FOR_THEMSELVES, MATRIX, OTHER_NAMESPACE, REACH_TWO, ROW_OF, SCOPE_NEEDS } from './matrix.ts'
import { UNLIMITED } from '../../helpers/unlimited.ts'

const RANKS = ['none', 'viewer', 'writer', 'admin', 'org_admin', 'platform_admin'] as const
type Rank = (typeof RANKS)[number]

/** Fields that no schema can check: what is wrong with them comes to light after the rights. */
const LOOKED_AT_LATER: ReadonlySet<unknown> = new Set(['proof', 'link'])

let loom: TestEngine
/** For what a desktop alone answers. */
let desktop: TestEngine
beforeAll(async () => {
  loom = await openTestEngine({ host: 'server', mode: 'multi', models: NO_MODELS, config: { rates: UNLIMITED } })
  desktop = await openTestEngine({ host: 'desktop', mode: 'multi', models: NO_MODELS, config: { rates: UNLIMITED } })
  // A namespace that is there: to make one is an org admin's.
  await call('namespace.register', { namespace: 'chat' }, token('org_admin'))
  deviceId = await pairDevice()
})
afterAll(async () => {
  await loom.close()
  await desktop.close()
})

/** What is for the tokens of devices alone is called with those. */
let deviceId = ''
async function pairDevice(): Promise<string> {
  const { code } = (await call('pair.create', { subject: 'ada', grants: { '*': 'viewer' } }, token('org_admin'))) as { code: string }
  const key = newDeviceKey()
  const input = { code, device_name: 'd', device_key: key.device_key, proof: key.prove(code) }
  return ((await call('pair.redeem', input, token('none'))) as { device_id: string }).device_id
}

/** `none`: a token with no grant in the namespace of the test. */
function token(rank: Rank, more: Partial<Claims> = {}): Claims {
  const grants: Claims['grants'] = rank === 'none' ? { elsewhere: 'viewer' } : rank.endsWith('_admin') ? { '*': rank } : { chat: rank }
  return { ...localClaims('human', 'ada'), org: 'acme', token_id: 'abcdefghijklmnop', grants, ...more }
}

/** As `token`, with the role in both namespaces of an operation that writes in two. */
function tokenOf(op: string, rank: Rank, more: Partial<Claims> = {}): Claims {
  const inTwo = REACH_TWO.has(op) && rank !== 'none' && !rank.endsWith('_admin')
  return token(rank, { ...more, ...(inTwo && { grants: { chat: rank, [OTHER_NAMESPACE]: rank } }) })
}

const BOUNDS = { 'one user': { user_id: 'u1' }, 'its own session': { own_session: true, session_id: 's1' } } as const

function call(op: string, input: Record<string, unknown>, claims: Claims): Promise<unknown> {
  const contract: OpContract = REGISTRY[op as OpName]
  const { shape } = contract.input
  const isOfDesktop = contract.host === 'desktop'
  const who = isOfDesktop ? { ...claims, org: 'dev' } : claims
  const place = { ...('namespace' in shape && { namespace: 'chat' }), ...('agent' in shape && !op.startsWith('token.') && { agent: 'a' }) }
  return (isOfDesktop ? desktop : loom).engine.run(op, { ...place, ...input }, testCaller(who, { transport: 'http' }))
}

/** Whether rights let the call through; what else it may answer is no matter here. */
async function allowed(op: string, claims: Claims): Promise<boolean> {
  return call(op, CALLS[op] ?? {}, op === 'sync.push' || op === 'erasure.receipt' ? { ...claims, device_id: deviceId } : claims).then(
    () => true,
    (error: { code?: string; message?: string; fields?: Record<string, unknown> }) => {
      // An invalid call would say nothing about rights.
      const isBroken = error.code === 'INVALID_ARGUMENT' && !LOOKED_AT_LATER.has(error.fields?.['field'])
      if (error.code === undefined || error.code === 'INTERNAL' || isBroken) throw new Error(`${op}: ${error.message}`)
      return error.code !== 'FORBIDDEN'
    },
  )
}

describe('the matrix of roles', () => {
  it('has every operation once, and a call of each that is built', () => {
    const named = MATRIX.flatMap((row) => row.ops)
    expect(new Set(named).size).toBe(named.length)
    expect(Object.keys(REGISTRY).filter((op) => !ROW_OF.has(op))).toEqual([])
    expect(Object.keys(REGISTRY).filter((op) => !Object.hasOwn(CALLS, op))).toEqual([])
  })

  it.each(Object.values<OpContract>(REGISTRY).map((contract) => [contract.name, contract] as const))(
    '%s is declared as it says',
    (op, contract) => {
      const row = ROW_OF.get(op)
      const sync = contract.kind === 'read' && !FORWARDED_READS.has(op) ? 'none' : row?.sync
      expect([contract.role, contract.sync, contract.bound]).toEqual([row?.role, sync, row?.noBound && 'none'])
    },
  )

  it('[API002][API031] gives each role what it may do, and no more', async () => {
    const wrong: string[] = []
    for (const op of Object.keys(REGISTRY)) {
      const least = RANKS.indexOf(SCOPE_NEEDS[op] ?? ROW_OF.get(op)?.role ?? 'platform_admin')
      for (const rank of RANKS) {
        const expected = RANKS.indexOf(rank) >= least || LOOK_FOR_THEMSELVES.has(op)
        if ((await allowed(op, tokenOf(op, rank))) !== expected) wrong.push(`${op} as ${rank}: ${expected ? 'refused' : 'let through'}`)
      }
    }
    expect(wrong).toEqual([])
  }, 60_000)

  it.each(Object.entries(BOUNDS))(
    '[API031] refuses a token bound to %s where it says so',
    async (name, bound) => {
      const wrong: string[] = []
      for (const op of Object.keys(REGISTRY)) {
        const row = ROW_OF.get(op)
        for (const rank of ['viewer', 'writer', 'admin'] as const) {
          const ranks = RANKS.indexOf(rank) >= RANKS.indexOf(row?.role ?? 'platform_admin') || LOOK_FOR_THEMSELVES.has(op)
          // memory.clear: of its own user_id only.
          // memory.copy_to: with no session bound.
          const isOfUsers = op === 'memory.clear' || op === 'memory.copy_to'
          const expected = ranks && row?.noBound !== true && !(isOfUsers && name === 'its own session')
          if ((await allowed(op, tokenOf(op, rank, bound))) !== expected)
            wrong.push(`${op} as ${rank}: ${expected ? 'refused' : 'let through'}`)
        }
      }
      expect(wrong).toEqual([])
    },
    60_000,
  )

  /** The role suffices, the one below it does not. */
  async function takes(role: Rank, ops: readonly string[]): Promise<void> {
    const below = RANKS[RANKS.indexOf(role) - 1] ?? 'none'
    for (const op of ops) expect([op, await allowed(op, token(role)), await allowed(op, token(below))]).toEqual([op, true, false])
  }
  const under = (domain: string, names: string): string[] => names.split(' ').map((name) => `${domain}.${name}`)

  it('[API005] webhooks are an admin’s', () => takes('admin', under('webhook', 'register list remove deliveries')))
  it('[API013] a lock and a decision on a proposal are a writer’s', () => takes('writer', under('memory', 'lock proposal_decide')))
  it('[API015] a record is written by a writer, and read by a viewer', async () => {
    await takes('writer', ['memory.record.write'])
    await takes('viewer', [...under('memory.record', 'query history conflicts'), 'memory.aggregate'])
  })
  it('[API024] of erasures an export is an admin’s, a request a writer’s; lists and states are a viewer’s', async () => {
    await takes('admin', ['erasure.export'])
    const roles = ['export', 'request', 'list', 'status'].map((name) => REGISTRY[`erasure.${name}` as OpName].role)
    expect(roles).toEqual(['admin', 'writer', 'viewer', 'viewer'])
  })

  it('names the field, and the role needed', async () => {
    await expect(call('memory.set', CALLS['memory.set'] ?? {}, token('viewer'))).rejects.toMatchObject({
      code: 'FORBIDDEN',
      fields: { field: 'namespace', role_needed: 'writer' },
    })
    await expect(call('token.list', {}, token('writer'))).rejects.toMatchObject({ code: 'FORBIDDEN', fields: { role_needed: 'admin' } })
  })
})

describe('the scope rules of the matrix', () => {
  it('namespace.register: a new namespace is an org admin’s', async () => {
    const fresh = token('admin', { grants: { fresh: 'admin' } })
    await expect(call('namespace.register', { namespace: 'fresh' }, fresh)).rejects.toMatchObject({ fields: { role_needed: 'org_admin' } })
    await call('namespace.register', { namespace: 'fresh' }, token('org_admin'))
    await call('namespace.register', { namespace: 'fresh', description: 'x' }, fresh)
  })

  it('blacklist: scope org needs org_admin, global platform_admin', async () => {
    for (const [scope, least] of [
      ['namespace', 'writer'],
      ['org', 'org_admin'],
      ['global', 'platform_admin'],
    ] as const) {
      for (const rank of RANKS) {
        const added = call('blacklist.add', { pattern: `of ${scope}`, scope }, token(rank)).then(
          () => true,
          () => false,
        )
        expect([scope, rank, await added]).toEqual([scope, rank, RANKS.indexOf(rank) >= RANKS.indexOf(least)])
      }
    }
  })

  it('[CHG038] memory.lock: a writer tightens, loosening needs admin', async () => {
    await call('memory.set', { memory_key: 'ladder', value: 'The ladder is aluminium.' }, token('writer'))
    const lock = (mode: string, rank: Rank) => call('memory.lock', { memory_key: 'ladder', reason: 'x', mode }, token(rank))
    await lock('no_delete', 'writer')
    await lock('read_only', 'writer')
    await expect(lock('no_delete', 'writer')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await lock('no_delete', 'admin')
  })

  it('a hit in another namespace needs viewer there; else it is left out, not refused', async () => {
    await call('memory.set', { namespace: 'hidden', memory_key: 'h', value: 'The secret stove is in the attic.' }, token('org_admin'))
    const search = async (rank: Rank) =>
      ((await call('memory.search', { query: 'stove in the attic', namespace_scope: ['*'] }, token(rank))) as { results: unknown[] })
        .results
    expect(await search('viewer')).toEqual([])
    expect(await search('org_admin')).toMatchObject([{ memory_key: 'h' }])
  })
})

describe('what a token fixes', () => {
  const bound = { user_id: 'u1', session_id: 's1' } as const
  const fixed = { org: 'acme', namespace: 'chat', agent: 'bot', ...bound } as const
  const fieldsOf = (contract: OpContract) => ID5_FIELDS.filter((field) => field in contract.input.shape)

  it.each(Object.values<OpContract>(REGISTRY).filter((contract) => fieldsOf(contract).length > 0))(
    '[API017][API031] may be left out of $name or said again, and no call says otherwise',
    async (contract) => {
      const { name } = contract
      // An operation that takes no bound is refused to bound tokens for that: their other fixed fields hold all the same.
      const binds = contract.bound !== 'none'
      const claims = token('admin', { agent: fixed.agent, ...(binds && { ...bound, own_session: true }) })
      const refusal = (input: object) =>
        loom.engine.run(name, { ...CALLS[name], ...input }, testCaller(claims, { transport: 'http' })).then(
          () => null,
          ({ code, fields }: { code: string; fields: Record<string, unknown> }) =>
            code === 'FORBIDDEN' ? (fields['field'] ?? 'no field') : null,
        )
      // Clearing has a rule of its own for tokens of one session, and one namespace is too few for a write in two.
      const isOpen = name !== 'memory.clear' && !REACH_TWO.has(name)
      if (isOpen) expect(await refusal({})).toBe(null)
      for (const field of fieldsOf(contract).filter((one) => binds || !Object.hasOwn(bound, one))) {
        if (isOpen) expect([field, await refusal({ [field]: fixed[field] })]).toEqual([field, null])
        expect([field, await refusal({ [field]: 'another' })]).toEqual([field, field])
      }
    },
  )
})
