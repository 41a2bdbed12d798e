import { spawn } from 'node:child_process'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { built, cleanEnv, type Headless, post, scratchHome, startHeadless } from '../helpers/headless.ts'

const ROUNDS = 20
const WRITERS = 4
const KEYS = 5
/** So many writes at most before a kill; the moment counts from a write, whatever the machine's pace. */
const MOST_WRITES = 15

let home: string
let drop: () => Promise<void>
let host: Headless | null = null
beforeEach(async () => {
  ;({ home, drop } = await scratchHome())
})
afterEach(async () => {
  await host?.stop('SIGKILL')
  await drop()
})

/** Writes one claim after another until the host is gone; `acknowledged` gets the last value of each key that was answered. */
async function writeUntilKilled(url: string, writer: string, acknowledged: Map<string, string>, onWrite: () => void): Promise<number> {
  for (let count = 0; ; count++) {
    const key = `crash/${writer}/${count % KEYS}`
    const value = `Round ${writer} says ${count}: shelf ${count} holds ${count * 3} boxes.`
    try {
      const { status, body } = await post(url, 'memory.set', { memory_key: key, value })
      if (status !== 200) throw new Error(JSON.stringify(body))
      // A claim that was merged lies under another key: it is that one which must not be lost.
      if (body['conflict_verdict'] !== 'merge') acknowledged.set(key, value)
      onWrite()
    } catch (error) {
      if (error instanceof TypeError) return count
      throw error
    }
  }
}

test(`of ${ROUNDS} kills at random moments of writing none loses an acknowledged write`, { timeout: 600_000 }, async () => {
  const acknowledged = new Map<string, string>()
  let written = 0
  for (let round = 0; round < ROUNDS; round++) {
    const { url, stop } = (host = await startHeadless(cleanEnv({ LOOM_HOME: home })))
    await expectHeld(url, [...acknowledged].slice(-2 * WRITERS * KEYS), `round ${round}`)
    await untilModelsAreLoaded(url)
    const enough = 1 + Math.floor(Math.random() * MOST_WRITES)
    let kill = () => {}
    const time = new Promise<void>((resolve) => (kill = resolve))
    let seen = 0
    const onWrite = () => void (++seen === enough && setTimeout(kill, Math.random() * 30))
    const writing = Array.from({ length: WRITERS }, (_, writer) => writeUntilKilled(url, `${round}-${writer}`, acknowledged, onWrite))
    // A writer that was refused ends the test at once, with what it was told.
    await Promise.race([time, Promise.all(writing)])
    await stop('SIGKILL')
    for (const count of await Promise.all(writing)) written += count
  }
  const { url } = (host = await startHeadless(cleanEnv({ LOOM_HOME: home })))
  await expectHeld(url, [...acknowledged], 'the end')
  expect(acknowledged.size).toBeGreaterThan(ROUNDS)
  process.stderr.write(`${ROUNDS} kills, ${written} acknowledged writes, none lost\n`)
})

async function expectHeld(url: string, acknowledged: readonly (readonly [string, string])[], when: string): Promise<void> {
  for (const [memory_key, value] of acknowledged) {
    const { body } = await post(url, 'memory.get', { memory_key })
    expect(body, `${when}, ${memory_key}`).toMatchObject({ found: true })
    expect(isAtLeast(String(body['value']), value), `${when}: ${String(body['value'])} is older than ${value}`).toBe(true)
  }
}

test('a host killed at 8 random moments of its first start opens at the next one', { timeout: 120_000 }, async () => {
  for (let round = 0; round < 8; round++) {
    const child = spawn(process.execPath, [built('headless.js')], { env: cleanEnv({ LOOM_HOME: home }), stdio: 'ignore' })
    await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 1500))
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
    if (round % 4 !== 3) continue
    const { url, stop } = (host = await startHeadless(cleanEnv({ LOOM_HOME: home })))
    expect((await post(url, 'memory.set', { memory_key: 'k', value: `Round ${round} opened.` })).status).toBe(200)
    await stop('SIGKILL')
    await drop()
  }
})

/** Before that a write waits for them, and little would be written before the kill. */
async function untilModelsAreLoaded(url: string): Promise<void> {
  for (;;) {
    const health = (await (await fetch(`${url}/v1/health`)).json()) as { status: string }
    if (health.status !== 'starting') return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** The write under way when the host was killed may have been committed too, unanswered: then its value is newer. */
function isAtLeast(found: string, acknowledged: string): boolean {
  const count = (text: string) => Number(/says (\d+)/.exec(text)?.[1])
  return count(found) >= count(acknowledged)
}
