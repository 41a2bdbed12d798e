import { scratchDatabase, type ScratchDatabase } from '../../helpers/postgres.ts'
import { needs, postgres } from '../../helpers/requirements.ts'
import { describeCrossings } from './crossings.ts'

let scratch: ScratchDatabase | null = null

describeCrossings(
  'an erasure on Postgres',
  async () => {
    scratch = await scratchDatabase()
    return { postgresUrl: scratch.url }
  },
  async () => scratch?.drop(),
  needs(postgres()),
)
