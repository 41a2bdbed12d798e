import { LoomError } from '../../../contract/errors.ts'
import { profileSet as contract } from '../../../contract/ops/profile/set.ts'
import type { WriteContext } from '../../handler.ts'
import { addSources } from '../../store/attached.ts'
import { candidates } from '../../store/resolve.ts'
import { defineShaped } from '../../write/shaped/handler.ts'

/** @throws LoomError INVALID_ARGUMENT for a key that no row holds. */
async function sourcesOf(keys: readonly string[], context: WriteContext): Promise<string[]> {
  const ids: string[] = []
  for (const [at, key] of keys.entries()) {
    const heads = await candidates(context.tx, key, { ...context, given: {} })
    if (heads.length === 0)
      throw new LoomError('INVALID_ARGUMENT', `built_from names ${key}, which no row holds. Nothing was stored.`, {
        field: `built_from[${at}]`,
      })
    ids.push(...heads.map((head) => head.memory_id))
  }
  return [...new Set(ids)]
}

export const profileSet = defineShaped(contract, {
  async after({ built_from, dry_run }, { outcome, answer }, _claim, context) {
    const sources = (await sourcesOf(built_from, context)).filter((id) => id !== answer.memory_id)
    // Said again with more sources, it rests on those too: no version, as a restatement's new entities make none.
    const holds = outcome === 'stored' || outcome === 'repeated'
    if (holds && !dry_run) await addSources(context.tx, context.identity.org, answer.memory_id, answer.version, sources)
    return answer
  },
})
