import type { Input, Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { parseJson } from '../../../contract/json.ts'
import { memoryMove as contract } from '../../../contract/ops/memory/move.ts'
import type { Json } from '../../../domain/claim/json.ts'
import type { Queryable } from '../../db/database.ts'
import { defineWrite, type CallContext, type PrepareContext } from '../../handler.ts'
import type { Vectors } from '../../store/attachments.ts'
import { headAt, lockKeys, type Head } from '../../store/memories.ts'
import { ambiguous, candidates } from '../../store/resolve.ts'
import { passPrecondition } from '../../write/claim-answer.ts'
import { contentOf, type Content } from '../../write/content.ts'
import { embedContent, isEmbedded } from '../../write/embed.ts'
import { passGuards } from '../../write/guards.ts'
import { moveRow } from '../../write/move-row.ts'
import { isLapsed, isLive } from '../../write/state.ts'

type Call = Input<typeof contract>
type Answer = Output<typeof contract>
interface Assessed {
  readonly version: bigint
  readonly content: Content
  readonly vectors: Vectors | null
}

/** The live row to move; a redirect that leads to `to_key` already; or why there is nothing to do. */
async function findSource(
  input: Call,
  db: Queryable,
  context: CallContext,
): Promise<{ live: Head } | { done: Head } | { reason: Answer['reason'] }> {
  const heads = await candidates(db, input.memory_key, context)
  const live = heads.filter((head) => isLive(head, context.now))
  if (live.length > 1) throw ambiguous(input.memory_key, live)
  if (live[0]) return { live: live[0] }
  const done = heads.find((head) => head.status === 'redirect' && head.canonical_key === input.to_key)
  if (done) return { done }
  return { reason: heads.some((head) => isLapsed(head, context.now)) ? 'expired' : 'not_found' }
}

const contentAt = (key: string, head: Head, context: CallContext): Content =>
  contentOf(key, parseJson(head.value ?? 'null') as Json, context.parts.config.valueAdvisoryChars)

async function assess(input: Call, context: PrepareContext): Promise<Assessed | null> {
  if (input.memory_key === input.to_key)
    throw new LoomError('INVALID_ARGUMENT', 'to_key is the key that the row has. Name another.', { field: 'to_key' })
  const found = await findSource(input, context.db, context)
  if (!('live' in found) || input.dry_run) return null
  const content = contentAt(input.to_key, found.live, context)
  const embedded = isEmbedded(found.live.memory_type, found.live.sensitivity)
  return { version: found.live.version, content, vectors: embedded ? await embedContent(content, context) : null }
}

function answer(input: Call, source: Head, target: Head | null, rest: Pick<Answer, 'redirect'>): Answer {
  return {
    moved: true,
    reason: '',
    memory_key: input.memory_key,
    to_key: input.to_key,
    memory_id: target?.memory_id ?? '',
    version: target?.version ?? 0n,
    version_text: (target?.version ?? 0n).toString(),
    content_sha256: target?.content_sha256 ?? '',
    source_memory_id: source.memory_id,
    source_version: source.version,
    dry_run: input.dry_run,
    ...rest,
  }
}

const NOTHING = {
  moved: false,
  memory_id: '',
  version: 0n,
  version_text: '0',
  content_sha256: '',
  source_memory_id: '',
  source_version: 0n,
  redirect: false,
}

export const memoryMove = defineWrite(contract, {
  exclusive: (_input, { identity }) => `${identity.org}/${identity.namespace}`,
  assess: (input, _prepared: undefined, context) => assess(input, context),
  async run(input, context, _prepared, assessed): Promise<Answer> {
    const { tx, identity, now, parts } = context
    const keys = [input.memory_key, input.to_key].map((key) => `${identity.org}/${identity.namespace}/${key}`)
    await lockKeys(tx, parts.database.kind, keys)
    const found = await findSource(input, tx, context)
    if ('reason' in found)
      return { ...NOTHING, reason: found.reason, memory_key: input.memory_key, to_key: input.to_key, dry_run: input.dry_run }
    if ('done' in found) return answer(input, found.done, await headAt(tx, found.done, input.to_key), { redirect: true })
    const source = found.live
    passGuards(source, 'delete', now)
    const taken = await headAt(tx, source, input.to_key)
    if (taken && (isLive(taken, now) || taken.status === 'proposed')) {
      throw new LoomError(
        'KEY_HOLDS_FACT',
        `${input.to_key} holds a ${taken.status === 'proposed' ? 'proposal' : 'fact'} already. Name another to_key, or retire it first.`,
        {
          memory_key: input.to_key,
          memory_id: taken.memory_id,
        },
      )
    }
    passPrecondition(input.if_match_sha256, source)
    if (input.dry_run) return { ...answer(input, source, taken, { redirect: input.keep_redirect }), content_sha256: source.content_sha256 }
    // Changed by another process since it was read: without vectors, until the row is embedded anew.
    const fresh = assessed?.version === source.version ? assessed : { content: contentAt(input.to_key, source, context), vectors: null }
    const move = { source, taken, content: fresh.content, vectors: fresh.vectors, redirect: input.keep_redirect }
    const { target, left } = await moveRow(move, contract.name, context)
    return answer(input, left, target, { redirect: input.keep_redirect })
  },
})
