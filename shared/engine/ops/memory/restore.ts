import type { Output } from '../../../contract/declare.ts'
import { parseJson } from '../../../contract/json.ts'
import { memoryRestore as contract } from '../../../contract/ops/memory/restore.ts'
import { settle } from '../../../domain/verdict/settle.ts'
import type { Json } from '../../../domain/claim/json.ts'
import type { Input } from '../../../contract/declare.ts'
import { defineWrite, type PrepareContext } from '../../handler.ts'
import { lockKeys } from '../../store/memories.ts'
import { forgetHarm } from '../../store/outcomes.ts'
import { wasProposed } from '../../store/proposals.ts'
import { agreeWithRetirer } from '../../write/agree-with-retirer.ts'
import { countBlacklistHit, passBlacklist } from '../../write/blacklist.ts'
import { contentOf, type Content } from '../../write/content.ts'
import { embedContent, isEmbedded } from '../../write/embed.ts'
import { checkTarget, findRetired } from '../../write/find-retired.ts'
import { assess, factsOf, peerOf, UNJUDGED } from '../../write/judging.ts'
import { revive, type Revival } from '../../write/revive.ts'

type Call = Input<typeof contract>
type Answer = Output<typeof contract>

const NOTHING: Answer = {
  restored: false,
  reason: 'not_found',
  from: '',
  memory_id: '',
  version: 0n,
  version_text: '0',
  status: '',
  conflict_verdict: '',
  peers: [],
  expires_at: null,
  dry_run: false,
}

async function assessRevival(input: Call, context: PrepareContext): Promise<Revival | null> {
  checkTarget(input)
  const found = await findRetired(context.db, input, context)
  if (!('head' in found)) return null
  const { head } = found
  const content: Content = contentOf(head.memory_key, parseJson(head.value ?? 'null') as Json, context.parts.config.valueAdvisoryChars)
  const embedded = isEmbedded(head.memory_type, head.sensitivity)
  const vectors = embedded ? await embedContent(content, context) : null
  const judged =
    head.memory_type === 'episodic' || head.sensitivity === 'high'
      ? UNJUDGED
      : await assess(
          {
            org: head.org,
            namespace: head.namespace,
            content,
            vector: vectors?.value ?? null,
            memoryType: head.memory_type,
            userId: head.user_id,
            memoryId: head.memory_id,
          },
          context,
        )
  return { content, vectors, judged: judged.judged, onTrial: await wasProposed(context.db, head) }
}

export const memoryRestore = defineWrite(contract, {
  exclusive: (_input, { identity }) => `${identity.org}/${identity.namespace}`,
  assess: (input, _prepared: undefined, context) => assessRevival(input, context),
  async run(input, context, _prepared, revival): Promise<Answer> {
    const { tx, identity, now, parts } = context
    checkTarget(input)
    const seen = await findRetired(tx, input, context)
    if ('head' in seen) await lockKeys(tx, parts.database.kind, [`${identity.org}/${identity.namespace}/${seen.head.memory_key}`])
    // Another process may have settled it while this one waited for the lock.
    const found = 'head' in seen ? await findRetired(tx, input, context) : seen
    if (!('head' in found) || !revival)
      return { ...NOTHING, reason: 'reason' in found ? found.reason : 'not_found', dry_run: input.dry_run }
    const { head } = found
    await passBlacklist(tx, head.org, head.namespace, revival.content.value, (id, org) =>
      context.afterRollback((after) => countBlacklistHit(after, org, id, now)),
    )
    // The row that had retired it stays, and the pair counts as settled: it is left out of the judgement.
    const judged = revival.judged.filter((peer) => peer.head.memory_id !== head.superseded_by)
    const settlement = settle(
      judged.map((peer) => ({ ...factsOf(peer, head.memory_key, now), pinned: false })),
      { policy: 'flag', runId: '', minConfidence: parts.config.verdictMinConfidence },
    )
    const restored = input.dry_run ? null : await revive(head, revival, settlement, contract.name, context)
    if (restored) await agreeWithRetirer(head, restored, context)
    if (restored && head.status === 'rejected') await forgetHarm(tx, head.org, head.memory_id)
    const shown = restored ?? head
    const involved = new Set(settlement.involved.map((peer) => peer.memoryId))
    return {
      restored: !input.dry_run,
      reason: '',
      from: head.status as Answer['from'],
      memory_id: head.memory_id,
      version: shown.version,
      version_text: shown.version.toString(),
      status: revival.onTrial ? 'proposed' : (settlement.status ?? 'duplicate'),
      conflict_verdict: settlement.verdict === 'merge' ? 'duplicate' : settlement.verdict,
      peers: judged
        .filter((peer) => involved.has(peer.head.memory_id))
        .slice(0, 5)
        .map((peer) => peerOf(peer, peer.head.pinned)),
      expires_at: shown.expires_at !== null && shown.expires_at > now ? shown.expires_at.toISOString() : null,
      dry_run: input.dry_run,
    }
  },
})
