import { expect, test } from 'vitest'
import { killRounds } from './kill-rounds.ts'

/** `npm run bench -- sync-faults` goes a hundred rounds. */
const ROUNDS = Number(process.env['LOOM_TEST_RUNS'] ?? 4)

test(
  `a server and two desktops are killed at any moment, ${ROUNDS} rounds: every acknowledged write reaches all three, once`,
  { timeout: 900_000 },
  async () => {
    const { acknowledged, seconds: _seconds, kills: _kills, ...left } = await killRounds(ROUNDS)
    expect(acknowledged).toBeGreaterThanOrEqual(ROUNDS)
    expect(left).toEqual({ rounds: ROUNDS, lost: [], repeated: [], apart: [], quarantined: 0 })
  },
)
