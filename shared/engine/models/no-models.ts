import type { Models } from '../ports.ts'

/** For an engine that neither embeds nor judges by meaning: every answer that would need it is degraded. */
export const NO_MODELS: Models = {
  embedder: null,
  relation: null,
  state: 'unavailable',
  queue: 0,
  settled: Promise.resolve(),
  embedderSettled: Promise.resolve(),
  close: async () => {},
}
