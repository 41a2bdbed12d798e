import { isLoomError } from '../shared/contract/errors.ts'
import { readEnv, toConfig } from './config.ts'
import { prepareCache } from './prepare-cache.ts'

/** Run once after an install: progress on stderr, exit status 1 when something could not be made. */
try {
  const { desktop } = toConfig(readEnv())
  await prepareCache(desktop.home, desktop.embeddingModel, (line) => void process.stderr.write(`${line}\n`))
} catch (error) {
  process.stderr.write(`${isLoomError(error) ? error.message : String(error)}\n`)
  process.exitCode = 1
}
