import { firstCharacters } from '../../../domain/claim/claim-text.ts'
import { NEAR_COVERAGE } from '../../../domain/search/near.ts'
import { wordShareOf } from '../../../domain/search/word-share.ts'
import { fold } from '../../../domain/text/fold.ts'
import { isUnattested } from '../answer/sources.ts'
import { profileRows } from '../profile-rows.ts'
import type { KindSearch } from './kind-search.ts'
import { claimOfHead } from '../../store/head-claim.ts'

const EXCERPT = 300

/** The caller's own profile, by words: its rows have no vectors. */
export const findProfiles: KindSearch = async ({ call }, context) => {
  const shareOf = wordShareOf(call.query)
  const tags = new Set((call.tags ?? []).map(fold))
  const rows = (await profileRows(context)).filter(
    (head) => !isUnattested(head) && (tags.size === 0 || head.tags.some((tag) => tags.has(fold(tag)))),
  )
  return rows
    .map((head) => {
      const text = claimOfHead(head)
      const attribute = head.memory_key.slice(head.memory_key.indexOf('/', 'profile/'.length) + 1)
      return { head, text, share: shareOf(`${attribute} ${text}`) }
    })
    .filter(({ share }) => share >= NEAR_COVERAGE)
    .toSorted((a, b) => b.share - a.share)
    .map(({ head, text, share }) => ({
      kind: 'profile',
      ref: head.memory_key,
      id: head.memory_id,
      title: head.memory_key,
      excerpt: firstCharacters(text, EXCERPT),
      score: share,
      why: ['profile'],
      namespace: head.namespace,
      at: head.updated_at.toISOString(),
      open: { op: 'memory.get_by_id', arguments: { memory_id: head.memory_id } },
      hit: null,
    }))
}
