import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cleanEnv, post, scratchHome, startHeadless } from '../helpers/headless.ts'

let home: string
let drop: () => Promise<void>
beforeAll(async () => {
  ;({ home, drop } = await scratchHome())
})
afterAll(() => drop())

test(
  'a host with both models at work leaves nothing beside its data folder: no report of the model runtime to its makers',
  { timeout: 60_000 },
  async () => {
    const person = join(home, '..', 'person')
    await mkdir(person, { recursive: true })
    // A runtime that sees a build server reports nothing anyway.
    const { CI: _, GITHUB_ACTIONS: __, ...env } = cleanEnv({ LOOM_HOME: home, HOME: person, XDG_CACHE_HOME: join(person, 'cache') })
    const host = await startHeadless(env)
    try {
      const models = async () => ((await (await fetch(`${host.url}/v1/health`)).json()) as { status: string }).status
      await expect.poll(models, { timeout: 30_000 }).toBe('ok')
      for (const value of ['The office opens at nine.', 'The office opens at ten.'])
        expect((await post(host.url, 'memory.set', { memory_key: `office/${value.length}`, value })).status).toBe(200)
      expect(await readdir(person, { recursive: true })).toEqual([])
    } finally {
      await host.stop()
    }
  },
)
