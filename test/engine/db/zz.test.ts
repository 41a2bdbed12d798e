import { spawn } from 'node:child_process'
import { join, dirname } from 'node:path'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { test } from 'vitest'
import { openPglite } from '../../../shared/engine/db/pglite.ts'
import { ensureSnapshot } from '../../../shared/engine/db/snapshot.ts'
import { TEST_CACHE } from '../../helpers/model-worker.ts'
import { bundleForNode } from '../../helpers/bundle.ts'
test('t', async () => {
  await writeFile('test/engine/db/zz-fixture.ts', `import { openPglite } from '../../../shared/engine/db/pglite.ts'
import { sql } from 'kysely'
const db = await openPglite({ dataDir: process.argv[2]!, snapshot: process.argv[3]! })
await sql.raw('create table loom.p(n int, t text)').execute(db.reader)
console.log('ready')
for (let i = 0; ; i++) await sql\`insert into loom.p values (\${i}, \${'x'.repeat(500)})\`.execute(db.reader)`)
  const prog = await bundleForNode('test/engine/db/zz-fixture.ts')
  await rm('test/engine/db/zz-fixture.ts')
  const folder = await mkdtemp(join(tmpdir(), 'loom-kill-'))
  const snapshot = await ensureSnapshot(TEST_CACHE)
  const child = spawn(process.execPath, [prog, join(folder, 'db'), snapshot], { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise(r => child.stdout.once('data', r))
  await new Promise(r => setTimeout(r, 3000))
  child.kill('SIGKILL')
  await new Promise(r => child.once('exit', r))
  let t = performance.now()
  const db = await openPglite({ dataDir: join(folder, 'db') })
  console.log('reopen after kill', (performance.now() - t) | 0, 'fsyncs', db.fsyncs())
  t = performance.now(); await db.close(); console.log('close', (performance.now()-t)|0)
  t = performance.now()
  await (await openPglite({ dataDir: join(folder, 'db') })).close()
  console.log('clean reopen+close', (performance.now() - t) | 0)
  await rm(folder, { recursive: true }); await rm(dirname(prog), { recursive: true })
}, 60000)
