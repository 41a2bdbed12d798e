import { afterEach, expect, test, vi } from 'vitest'
import { watchWakes } from '../../../shared/engine/sync/desktop/wakes.ts'

afterEach(() => vi.useRealTimers())

function watched(): { woken: () => number; move: (to: string) => void; stop: () => void } {
  vi.useFakeTimers()
  let [count, here] = [0, '10.0.0.2/24']
  const stop = watchWakes(() => count++, { lookMs: 2000, lateMs: 6000, addresses: () => here })
  return { woken: () => count, move: (to) => void (here = to), stop }
}

test('a clock that leapt while no timer ran is a sleep; a busy second is none', () => {
  const { woken, stop } = watched()
  vi.advanceTimersByTime(20_000)
  vi.setSystemTime(Date.now() + 3000)
  vi.advanceTimersByTime(2000)
  expect(woken()).toBe(0)
  vi.setSystemTime(Date.now() + 3_600_000)
  vi.advanceTimersByTime(2000)
  expect(woken()).toBe(1)
  vi.advanceTimersByTime(20_000)
  expect(woken()).toBe(1)
  stop()
  vi.setSystemTime(Date.now() + 3_600_000)
  vi.advanceTimersByTime(20_000)
  expect(woken()).toBe(1)
})

test('other addresses are another network; none at all is no network to try', () => {
  const { woken, move, stop } = watched()
  move('')
  vi.advanceTimersByTime(4000)
  expect(woken()).toBe(0)
  move('192.168.1.7/24')
  vi.advanceTimersByTime(4000)
  expect(woken()).toBe(1)
  stop()
})
