import { v7 } from 'uuid'
import type { CallInputOf, OutputOf } from '../../shared/contract/registry.ts'
import type { Claims } from '../../shared/contract/ops/engine/info.ts'
import type { ChangeIn } from '../../shared/contract/ops/sync/push.ts'
import { localClaims, nobodyClaims } from '../../shared/engine/caller.ts'
import { newDeviceKey } from './device-key.ts'
import { openTestEngine, type TestEngine, type TestEngineOptions } from './engine.ts'
import { UNLIMITED } from './unlimited.ts'

/** A server as devices push to it, with an admin who writes there by himself. */

export const ORG = 'acme'
export const AT = { org: ORG, namespace: 'chat', agent: 'scribe', user_id: '-', session_id: '-' } as const
export const ADMIN = { claims: { ...localClaims('human', 'root'), org: ORG, grants: { '*': 'org_admin' } } as Claims }

export const openServer = (options: TestEngineOptions = {}): Promise<TestEngine> =>
  openTestEngine({ host: 'server', mode: 'multi', ...options, config: { rates: UNLIMITED, ...options.config } })

export type Result = OutputOf<'sync.push'>['results'][number]

export interface Device {
  readonly id: string
  readonly token: string
  readonly claims: Claims
  /** Pushes, by a clock that is right unless `sent_at` says otherwise. */
  push(changes: readonly ChangeIn[], more?: Partial<CallInputOf<'sync.push'>>): Promise<OutputOf<'sync.push'>>
  /** Pushes one change, and answers what became of it. */
  send(change: ChangeIn): Promise<Result>
}

/** Pairs a device with a server. `clock`: that of the server, in milliseconds. */
export async function pairDevice(
  server: TestEngine,
  subject: string,
  grants: Claims['grants'] = { chat: 'writer' },
  more: Partial<CallInputOf<'pair.create'>> = {},
  clock: () => number = Date.now,
): Promise<Device> {
  const { code } = await server.call('pair.create', { subject, grants, ...more }, ADMIN)
  const key = newDeviceKey()
  const input = { code, device_name: `${subject}-mbp`, device_key: key.device_key, proof: key.prove(code) }
  const { device_id: id, token, claims } = await server.call('pair.redeem', input, { claims: nobodyClaims() })
  const push: Device['push'] = (changes, rest = {}) =>
    server.call('sync.push', { erasure_seq: 0, sent_at: new Date(clock()).toISOString(), changes: [...changes], ...rest }, { claims })
  const send: Device['send'] = async (change) => {
    const [result] = (await push([change])).results
    if (!result) throw new Error('the push answered nothing')
    return result
  }
  return { id, token, claims, push, send }
}

/** A change as a device records it: made now on no row, unless told otherwise. */
export function change(op: string, args: Record<string, unknown>, more: Partial<ChangeIn> = {}): ChangeIn {
  return { change_id: v7(), op, args: { ...AT, ...args }, recorded_at: new Date().toISOString(), erasure_seq: 0, ...more }
}

export const set = (memory_key: string, value: unknown, more: Partial<ChangeIn> = {}): ChangeIn =>
  change('memory.set', { memory_key, value }, more)
