import { join } from 'node:path'
import { ensureSnapshot } from '../shared/engine/db/snapshot.ts'
import { createModels } from '../shared/engine/models/create-models.ts'
import { builtFile, cacheFolder } from '../shared/engine/host/app-paths.ts'

/**
 * Makes once, after an install, what every first start would else make itself: the converted models and the snapshot
 * of an empty database. Does nothing when they are there.
 * @param say gets short progress lines
 */
export async function prepareCache(home: string, embeddingModel: string, say: (line: string) => void): Promise<void> {
  const cache = cacheFolder(home)
  let shown = ''
  const models = createModels({
    cacheDir: join(cache, 'models'),
    workerUrl: builtFile('model-worker.js'),
    embeddingModel,
    onProgress: ({ step, fraction }) => {
      const line = `${step} ${Math.floor(fraction * 10) * 10}%`
      if (line !== shown) say((shown = line))
    },
  })
  try {
    await ensureSnapshot(cache)
    await models.settled
    if (models.state === 'unavailable') say('The models could not be prepared. Loom works without them: search finds words only.')
  } finally {
    await models.close()
  }
}
