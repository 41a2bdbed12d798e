import { describe } from 'vitest'
import { needs, postgres } from '../../helpers/requirements.ts'

/** Every test of the files once more, on a real Postgres: one set of queries serves both databases. */
export function describeOnPostgres(files: Readonly<Record<string, () => Promise<unknown>>>): void {
  describe('on Postgres', needs(postgres()), async () => {
    if (!postgres().available) return
    process.env['LOOM_TEST_DATABASE'] = 'postgres'
    // What a file declares while it loads becomes part of this suite.
    for (const load of Object.values(files)) await load()
  })
}
