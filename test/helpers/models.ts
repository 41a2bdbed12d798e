import { join } from 'node:path'
import { createModels, type ModelsOptions } from '../../shared/engine/models/create-models.ts'
import type { Models } from '../../shared/engine/ports.ts'
import { modelWorkerUrl, TEST_CACHE } from './model-worker.ts'

let shared: Promise<Models> | null = null

/**
 * The real models, ready, one pair for each test process. They need not be closed: an idle worker does not keep a
 * process alive.
 */
export function testModels(): Promise<Models> {
  shared ??= openModels()
  return shared
}

/** Models of their own, loaded as far as they can be; the caller closes them. */
export async function openModels(options: Partial<ModelsOptions> = {}): Promise<Models> {
  const workerUrl = options.workerUrl ?? (await modelWorkerUrl())
  const models = createModels({ cacheDir: join(TEST_CACHE, 'models'), ...options, workerUrl })
  await models.settled
  return models
}
