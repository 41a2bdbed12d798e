import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { Identity } from '../../identity.ts'
import { headById } from '../../store/memories.ts'
import type { Content } from '../content.ts'
import type { Judged } from '../judging.ts'
import { isLive } from '../state.ts'

const REASON = 'The same text under another key.'

/**
 * A live row of the same identity that holds the very text under another key: the claim is held there, whatever a judge or
 * a run says. Rows of high sensitivity have no canonical text and are looked for among their own.
 */
export function twinOf(content: Content, identity: Identity, now: Date): (tx: Tx) => Promise<Judged | null> {
  return async (tx) => {
    const at = sql`org = ${identity.org} AND namespace = ${identity.namespace}`
    const { rows } = await sql<{ memory_id: string }>`SELECT memory_id FROM (
        SELECT * FROM loom.memory WHERE ${at} AND canonical_sha256 = ${content.canonicalSha256} AND canonical_sha256 <> ''
        UNION ALL SELECT * FROM loom.memory WHERE ${at} AND canonical_sha256 = '' AND content_sha256 = ${content.sha256}) m
      WHERE content_sha256 = ${content.sha256} AND memory_key <> ${content.key} AND agent = ${identity.agent}
        AND user_id = ${identity.user_id} AND session_id = ${identity.session_id}
        AND status IN ('active', 'conflicted', 'duplicate') AND erased_by = ''
      ORDER BY created_at LIMIT 20`.execute(tx)
    for (const { memory_id } of rows) {
      const head = await headById(tx, identity.org, memory_id)
      if (head && isLive(head, now))
        return {
          head,
          claim: content.claim,
          similarity: 1,
          judgement: { finding: 'same', confidence: 1, reason: REASON, rules: ['identity'] },
        }
    }
    return null
  }
}
