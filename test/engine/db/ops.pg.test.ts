import { describe } from 'vitest'
import { needs, postgres } from '../../helpers/requirements.ts'

const files = import.meta.glob<unknown>('../../ops/**/*.test.ts')

/** Every test of the operations once more, on a real Postgres: one set of queries serves both databases. */
describe('on Postgres', needs(postgres()), async () => {
  if (!postgres().available) return
  process.env['LOOM_TEST_DATABASE'] = 'postgres'
  // What a file declares while it loads becomes part of this suite.
  for (const load of Object.values(files)) await load()
})
