import { afterAll } from 'vitest'
import { NO_MODELS } from '../../helpers/engine.ts'
import { scratchDatabase, type ScratchDatabase } from '../../helpers/postgres.ts'
import { needs, postgres } from '../../helpers/requirements.ts'
import { describeMeanwhile } from './meanwhile.ts'

let scratch: ScratchDatabase | null = null
afterAll(() => scratch?.drop())

describeMeanwhile(
  'beside an erasure on Postgres',
  async () => {
    scratch = await scratchDatabase()
    return { models: NO_MODELS, postgresUrl: scratch.url }
  },
  needs(postgres()),
)
