/** `npm run check`: every static check, two at a time. Prints a line for each, and the output of those that fail. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

const folders = [
  'shared/contract',
  'shared/domain',
  'shared/engine',
  'shared/transport',
  'shared/client',
  'main',
  'renderer',
  'sync-server',
  'test',
]

const checks = [
  { name: 'format', command: ['oxfmt', '--check', '.'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'dead code', command: ['knip', '--no-progress'] },
  ...folders.map((folder) => ({ name: `types of ${folder}`, command: ['tsc', '-p', folder] })),
]

/** @param {{ name: string, command: string[] }} check */
async function run({ name, command: [program = '', ...args] }) {
  const from = Date.now()
  const child = spawn(join(root, 'node_modules/.bin', program), args, { cwd: root, shell: process.platform === 'win32' })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data))
  const code = await new Promise((resolve) => child.once('error', () => resolve(1)).once('close', resolve))
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${((Date.now() - from) / 1000).toFixed(1)} s)`)
  if (code === 0) return
  console.log(output)
  process.exitCode = 1
}

const waiting = [...checks]
const worker = async () => {
  for (let check = waiting.shift(); check; check = waiting.shift()) await run(check)
}
await Promise.all([worker(), worker()])
