import { describe, expect, it } from 'vitest'
import type { RateClass } from '../../../shared/contract/declare.ts'
import type { ErrorFields } from '../../../shared/contract/errors.ts'
import { clientOf, createRateLimits, DEFAULT_RATES, type Rates } from '../../../shared/engine/access/rate-limits.ts'
import { localClaims, nobodyClaims } from '../../../shared/engine/caller.ts'

function limits(rates: Partial<Rates> | null = {}) {
  let now = 1_000_000
  const made = createRateLimits(rates && { ...DEFAULT_RATES, ...rates }, () => now)
  const holder = (token_id: string) => ({ claims: { ...localClaims('human', 'ada'), token_id } })
  const tried = (work: () => void): ErrorFields | 'taken' => {
    try {
      work()
      return 'taken'
    } catch (error) {
      return (error as { fields: ErrorFields }).fields
    }
  }
  return {
    ...made,
    pass: (ms: number) => (now += ms),
    take: (rate: RateClass, token = 'one') => tried(() => made.draw({ rate }, holder(token))),
    takeFrom: (address: string, call: { rate: RateClass; perAddress?: number }) =>
      tried(() => made.draw(call, { claims: nobodyClaims(), address })),
    fail: (address: string) => tried(() => made.failed(address)),
    look: (address: string) => tried(() => made.checkFailures(address)),
  }
}

const times = <T>(count: number, work: () => T): T[] => Array.from({ length: count }, work)
const taken = (results: readonly unknown[]): number => results.filter((one) => one === 'taken').length

describe('the budget of a token', () => {
  it('is one minute’s calls of each class, as documented', () => {
    const budgets = { read: 1200, write: 600, search: 300, bulk: 60, import: 60, admin: 60 } as const
    for (const [rate, budget] of Object.entries(budgets) as [RateClass, number][]) {
      const { take } = limits()
      expect([rate, taken(times(budget + 5, () => take(rate)))]).toEqual([rate, budget])
    }
    expect(limits().shown).toEqual({ read: 1200, write: 600, search: 300, bulk: 60, 'memory.import': 60, admin: 60 })
  })

  it('is of that token and class alone', () => {
    const { take } = limits({ write: 2, read: 1 })
    expect(times(3, () => take('write')).map((one) => one === 'taken')).toEqual([true, true, false])
    expect(take('read')).toBe('taken')
    expect(take('write', 'another')).toBe('taken')
  })

  it('refills evenly, and says when the next call goes through', () => {
    const { take, pass } = limits({ write: 6 })
    expect(taken(times(10, () => take('write')))).toBe(6)
    expect(take('write')).toEqual({ class: 'write', retry_after_s: 10 })
    pass(4000)
    expect(take('write')).toEqual({ class: 'write', retry_after_s: 6 })
    pass(6000)
    expect(take('write')).toBe('taken')
    expect(take('write')).toEqual({ class: 'write', retry_after_s: 10 })
    pass(30_000)
    expect(taken(times(10, () => take('write')))).toBe(3)
    pass(3_600_000)
    expect(taken(times(10, () => take('write')))).toBe(6)
  })

  it('gains nothing by a clock that goes back, and loses nothing', () => {
    const { take, pass } = limits({ write: 6 })
    times(6, () => take('write'))
    pass(-3_600_000)
    expect(take('write')).not.toBe('taken')
    pass(10_000)
    expect(take('write')).toBe('taken')
  })

  it('names memory.import by its name, sets no limit at 0, and is off in single mode', () => {
    const { take, shown } = limits({ import: 1, read: 0 })
    take('import')
    expect(take('import')).toMatchObject({ class: 'memory.import' })
    expect(taken(times(5000, () => take('read')))).toBe(5000)
    expect(shown).toMatchObject({ read: 0, 'memory.import': 1 })
    const off = limits(null)
    expect(taken(times(5000, () => off.take('admin')))).toBe(5000)
    expect(off.shown).toEqual({ read: 0, write: 0, search: 0, bulk: 0, 'memory.import': 0, admin: 0 })
  })

  it('is forgotten only when it is full, however many tokens call', () => {
    const { take } = limits({ admin: 1 })
    take('admin', 'first')
    for (let at = 0; at < 40_000; at++) take('admin', `t${at}`)
    expect(take('admin', 'first')).not.toBe('taken')
  })
})

describe('an address without a token', () => {
  it('has a budget of its own, which an operation may set', () => {
    const { takeFrom, pass } = limits()
    const redeem = { rate: 'admin', perAddress: 10 } as const
    expect(taken(times(12, () => takeFrom('10.0.0.1', redeem)))).toBe(10)
    expect(takeFrom('10.0.0.1', redeem)).toEqual({ class: 'admin', retry_after_s: 6 })
    expect(takeFrom('10.0.0.2', redeem)).toBe('taken')
    expect(takeFrom('10.0.0.1', { rate: 'admin' })).toBe('taken')
    pass(6000)
    expect(takeFrom('10.0.0.1', redeem)).toBe('taken')
  })

  it('may fail 30 times a minute', () => {
    const { fail, look, pass } = limits()
    expect(look('10.0.0.1')).toBe('taken')
    expect(taken(times(35, () => fail('10.0.0.1')))).toBe(30)
    expect(look('10.0.0.1')).toMatchObject({ retry_after_s: 2 })
    expect(fail('10.0.0.2')).toBe('taken')
    pass(2000)
    expect(look('10.0.0.1')).toBe('taken')
    expect(fail('10.0.0.1')).toBe('taken')
    expect(fail('10.0.0.1')).not.toBe('taken')
  })

  it('is one client: an IPv4 address however it is written, of IPv6 the network of 64 bits', () => {
    expect(clientOf('::ffff:10.0.0.1')).toBe(clientOf('10.0.0.1'))
    expect(clientOf('2001:db8:1:2:aaaa::1')).toBe(clientOf('2001:0DB8:1:2::ffff'))
    expect(clientOf('2001:db8:1:2::1')).not.toBe(clientOf('2001:db8:1:3::1'))
    expect(clientOf('fe80::1%eth0')).toBe(clientOf('fe80::2%eth0'))
    expect(clientOf('::1')).toBe(clientOf('0:0:0:0:0:0:0:1'))
  })
})
