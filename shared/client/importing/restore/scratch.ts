import { isLoomError } from '../../../contract/errors.ts'
import { textIn, type Fields, type Place } from '../found.ts'
import { orTold, ownerOf, type Restoring } from './context.ts'

const LONGEST_TTL_S = 7_776_000

/** Puts a value of working memory back for the time that it had left; one that stands there stays. */
export async function putScratch(row: Fields, at: Place, restoring: Restoring): Promise<void> {
  const { client, place, dryRun, options, tally } = restoring
  const left = Math.ceil((Date.parse(textIn(row, 'expires_at')) - Date.now()) / 1000)
  if (!(left > 0)) return tally.left('retired')
  tally.found()
  const { key, value } = row
  const input = { ...place, ...ownerOf(row), key }
  await orTold(at, restoring, `working memory ${String(key)}`, async () => {
    try {
      if (dryRun) {
        const { found } = await client.call('working_memory.get', input, options)
        return found === true ? tally.result('skipped', 'unchanged') : tally.result('written', '', 'scratch')
      }
      const ttl_seconds = Math.min(left, LONGEST_TTL_S)
      await client.call('working_memory.set', { ...input, value, ttl_seconds, if_version: 0 }, options)
      tally.result('written', '', 'scratch')
    } catch (error) {
      if (!isLoomError(error) || error.code !== 'PRECONDITION_FAILED') throw error
      tally.result('skipped', 'unchanged')
    }
  })
}
