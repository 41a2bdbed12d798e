import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient, type Client } from '../../shared/client/create-client.ts'
import { ipcLink, type IpcBridge } from '../../shared/client/ipc-link.ts'
import type { BackupProgress } from '../../shared/contract/ops/backup/create.ts'
import type { CallTold } from '../../shared/contract/window-calls.ts'
import { createIpcEndpoint } from '../../shared/transport/ipc.ts'
import { type Desktop, openDesktop } from '../helpers/desktop.ts'
import { scratchHome } from '../helpers/headless.ts'
import { quietLog } from '../helpers/transports.ts'

let home: string
let drop: () => Promise<void>
let loom: Desktop
let window: Client
/** What another window would hear. */
const heard: string[] = []

beforeAll(async () => {
  ;({ home, drop } = await scratchHome())
  loom = await openDesktop(home)
  const listeners = new Set<(event: CallTold) => void>()
  const endpoint = createIpcEndpoint(loom.engine, quietLog(), undefined, (event) => {
    heard.push(event.call)
    for (const listener of listeners) listener(structuredClone(event))
  })
  const bridge: IpcBridge = {
    call: async (op, input, meta) => structuredClone(await endpoint(op, structuredClone(input), structuredClone(meta))),
    listen(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  window = createClient(ipcLink(bridge), { attempts: 1 })
}, 120_000)
afterAll(async () => {
  await loom.close()
  await drop()
})

const made = async (): Promise<number> => (await loom.call('backup.list', {})).backups.length
const leftOver = async (): Promise<string[]> =>
  (await readdir(join(home, 'backups'))).filter((name) => !/^bk_[^.]+\.(json|tar\.gz)$/.test(name))

describe('a backup from the window', { timeout: 60_000 }, () => {
  test('tells of its steps, counted in bytes to the last', async () => {
    const steps: BackupProgress[] = []
    await window.backup.create({ label: 'told' }, { progress: (told) => void steps.push(told as BackupProgress) })
    expect([...new Set(steps.map(({ step }) => step))]).toEqual(['copying', 'checking', 'packing'])
    for (const step of ['copying', 'packing'] as const) {
      const counted = steps.filter((one) => one.step === step)
      expect(counted.map((one) => one.bytes_done)).toEqual(counted.map((one) => one.bytes_done).toSorted((a, b) => a - b))
      expect(counted.at(-1)).toMatchObject({ bytes_done: counted[0]?.bytes_total })
    }
    expect(new Set(heard).size).toBe(1)
  })

  test('is ended at any step, and the ring is as before', async () => {
    for (const at of ['copying', 'checking', 'packing'] as const) {
      const before = await made()
      const stop = new AbortController()
      const progress = (told: Record<string, unknown>): void => void (told['step'] === at && stop.abort())
      await expect(window.backup.create({ label: at }, { signal: stop.signal, progress })).rejects.toMatchObject({ code: 'CANCELLED' })
      // The window has gone on; the engine follows.
      await expect.poll(leftOver, { timeout: 20_000 }).toEqual([])
      expect(await made()).toBe(before)
    }
    expect((await window.backup.create({ label: 'after' })).damaged).toBe(false)
  })
})
