import { expect } from 'vitest'
import type { BrowserHost } from './browser-window.ts'

export const WINDOW = 'Production deploys run Tuesday and Thursday only; never Friday.'
export const RIVAL = 'Production deploys run Monday to Thursday.'

/** Two conflicts and a duplicate, the newest last. */
const PAIRS = [
  [
    { memory_key: 'deploy/window/prod', value: WINDOW },
    { memory_key: 'ops/deploys', value: RIVAL },
  ],
  [
    { memory_key: 'archive/nightly', value: 'The archive is rebuilt every night.', run_id: 'r1' },
    { memory_key: 'jobs/archive', value: 'The archive is rebuilt every night.', run_id: 'r2' },
  ],
  [
    { memory_key: 'office/berlin/hours', value: 'The office in Berlin opens at eight.' },
    { memory_key: 'office/hours', value: 'The office in Berlin opens at ten.' },
  ],
]

/** How many wait in the queue of a namespace, by kind. */
export const waiting = async (host: BrowserHost, namespace: string) => (await host.call('review.queue', { namespace }))['counts']

/** Fills a namespace that holds nothing yet with three open pairs. */
export async function seedPairs(host: BrowserHost, namespace: string): Promise<string> {
  for (const claim of PAIRS.flat()) await host.call('memory.set', { namespace, agent: 'ops-bot', ...claim })
  expect(await waiting(host, namespace)).toMatchObject({ conflict: 2, duplicate: 1, total: 3 })
  return namespace
}
