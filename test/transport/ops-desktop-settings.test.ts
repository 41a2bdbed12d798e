import { expect } from 'vitest'
import { onEveryTransport } from '../helpers/transports.ts'

/** Settings and backups are for the person of the install, and so not for agents: MCP is refused them. */

const REFUSED = { code: 'FORBIDDEN' }
/** The engine of these tests lies in no data folder. */
const NO_FOLDER = { code: 'UNAVAILABLE' }

onEveryTransport('settings.get', 'shows what stands, and is not for agents', async (call) => {
  const found = await call('settings.get', { keys: ['backup.keep'] }).catch((error: unknown) => error)
  if (found instanceof Error) expect(found).toMatchObject(REFUSED)
  else expect(found).toMatchObject({ settings: [{ key: 'backup.keep', type: 'int', default: 7, restart: false }] })
})

onEveryTransport('settings.set', 'refuses what is out of range, and is not for agents', async (call) => {
  const refused = await call('settings.set', { values: { 'backup.keep': 51 } }).catch((error: unknown) => error)
  expect(['FORBIDDEN', 'INVALID_ARGUMENT']).toContain((refused as { code: string }).code)
})

onEveryTransport('backup.create', 'needs a data folder, and is not for agents', async (call) => {
  const refused = await call('backup.create', { label: 'x' }).catch((error: unknown) => error)
  expect([REFUSED.code, NO_FOLDER.code]).toContain((refused as { code: string }).code)
})

onEveryTransport('backup.list', 'needs a data folder, and is not for agents', async (call) => {
  const refused = await call('backup.list', {}).catch((error: unknown) => error)
  expect([REFUSED.code, NO_FOLDER.code]).toContain((refused as { code: string }).code)
})

onEveryTransport('backup.restore', 'wants the id twice, and is not for agents', async (call) => {
  const refused = await call('backup.restore', { backup_id: 'bk_a', confirm: 'bk_b' }).catch((error: unknown) => error)
  expect(['FORBIDDEN', 'INVALID_ARGUMENT']).toContain((refused as { code: string }).code)
})
