import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * A folder for tools that only tests need and that are slow to get: outside the clone where we may, so that the next
 * clone on this machine finds them. LOOM_TEST_CACHE names another.
 * @param {string} name
 */
export function cacheFolder(name) {
  const shared = process.platform === 'linux' && process.getuid?.() === 0
  const place = process.env.LOOM_TEST_CACHE ?? (shared ? '/var/cache/loom-test' : ownCache)
  mkdirSync(place, { recursive: true })
  return join(place, name)
}

const ownCache = fileURLToPath(new URL('../../node_modules/.cache/loom', import.meta.url))
