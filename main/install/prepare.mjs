import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './build.mjs'

/**
 * Converts the models and makes the snapshot of an empty database once after an install, with progress on stderr, in a
 * process of its own whose memory is given back. Not being able to is no reason not to start: the host then says what
 * it lacks.
 */
export function ensurePrepared() {
  const marker = join(root, 'node_modules/.cache/loom/prepared')
  if (existsSync(marker)) return
  const run = spawnSync(process.execPath, [join(root, 'out/main/prepare.js')], { cwd: root, stdio: ['ignore', 2, 2] })
  if (run.status !== 0) return
  mkdirSync(dirname(marker), { recursive: true })
  writeFileSync(marker, '')
}
