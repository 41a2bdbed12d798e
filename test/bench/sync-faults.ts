import { killRounds } from '../sync/kill-rounds.ts'

const ROUNDS = Number(process.env.LOOM_BENCH_ROUNDS ?? 100)

/** SIGKILL of a server and of two desktops at random points in so many rounds of push and pull: what was lost, repeated, or differs. */
export async function bench(_options: { data?: string; json: boolean }): Promise<Record<string, unknown>> {
  const made = await killRounds(ROUNDS, (round) => void ((round + 1) % 10 === 0 && process.stderr.write(`${round + 1} rounds\n`)))
  const { lost, repeated, apart, ...rest } = made
  for (const [name, keys] of Object.entries({ lost, repeated, apart }))
    if (keys.length > 0) process.stderr.write(`${name}: ${keys.slice(0, 10).join(', ')}\n`)
  return { ...rest, lost: lost.length, repeated: repeated.length, apart: apart.length }
}
