import { claimText } from '../../../domain/claim/claim-text.ts'
import type { Json } from '../../../domain/claim/json.ts'
import { analyse } from '../../../domain/judge/analyse.ts'
import { wordOverlap } from '../../../domain/judge/overlap.ts'
import { JUDGE_VERSION } from '../../../domain/judge/version.ts'
import { parseJson } from '../../../contract/json.ts'
import type { WriteContext } from '../../handler.ts'
import { carrySources } from '../../store/attached.ts'
import { writeVersion, type Head } from '../../store/memories.ts'
import { openPairs } from '../../store/pairs.ts'
import { tellProvenance, type Provenance } from '../../store/provenance.ts'
import { announce } from '../../write/revise-row.ts'

const REASON = 'Two hosts wrote this key without knowing of each other.'

const analysed = (row: Head) => analyse({ key: row.memory_key, text: claimText(parseJson(row.value ?? 'null') as Json) })

/** Opens a pair of the head and another version of its row, for a person or an agent to settle. */
export async function openSameKeyPair(head: Head, other: Head, { tx, now }: WriteContext): Promise<void> {
  await openPairs(tx, [
    {
      org: head.org,
      namespace: head.namespace,
      rowId: head.memory_id,
      peerId: head.memory_id,
      peerVersion: other.version,
      kind: 'conflict',
      relation: 'contradicts',
      similarity: Math.min(1, wordOverlap(analysed(head), analysed(other))),
      reason: REASON,
      confidence: 1,
      unsure: false,
      judgeVersion: JUDGE_VERSION,
      at: now,
      origin: 'sync',
      rowSha256: head.content_sha256,
      peerSha256: other.content_sha256,
    },
  ])
}

/** How the history names a version that the server made to settle a push. */
const SETTLED = 'sync'

/** Flags a head that another value stands against. A side effect of the change: its audit row is that of the lost version. */
export async function flagHead(head: Head, told: Provenance, context: WriteContext): Promise<Head> {
  const { tx, now, parts } = context
  if (head.status === 'conflicted') return head
  const flagged: Head = {
    ...head,
    version: parts.versions.next(head.version),
    status: 'conflicted',
    conflict_verdict: 'conflict',
    duplicate_of: '',
    canonical_key: '',
    updated_at: now,
    server_recorded_at: now,
    rev: head.rev + 1n,
  }
  tellProvenance(tx, { ...told, isOwn: () => false })
  await writeVersion(tx, flagged, SETTLED)
  tellProvenance(tx, told)
  await carrySources(tx, flagged, head.version)
  await announce(flagged, context)
  return flagged
}
