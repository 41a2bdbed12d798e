import { errorBody } from '../shared/contract/errors.ts'
import { RecoveryChoice } from '../shared/contract/recovery.ts'
import { createLogger } from '../shared/engine/host/logger.ts'
import { readEnv, toConfig } from './config.ts'
import type { FromRecovery } from './engine-messages.ts'
import { recover } from './recovery.ts'

/** Does one choice of the recovery screen, which is its argument, tells what came of it, and ends. */
const logger = createLogger('loom-recovery')

async function work(): Promise<FromRecovery> {
  try {
    const { desktop } = toConfig(readEnv())
    const choice = RecoveryChoice.parse(JSON.parse(process.argv[2] ?? ''))
    return { ok: true, value: await recover(desktop, choice) }
  } catch (error) {
    logger.error({ err: error }, 'the recovery failed')
    return { ok: false, error: errorBody(error, '').detail }
  }
}

process.parentPort.postMessage(await work())
// oxlint-disable-next-line unicorn/no-process-exit -- a utility process has no other end: its port holds it
process.exit(0)
