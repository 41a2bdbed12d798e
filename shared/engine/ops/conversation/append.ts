import { v7 } from 'uuid'
import type { Sensitivity } from '../../../contract/common.ts'
import type { Input, Output } from '../../../contract/declare.ts'
import { stringifyJson } from '../../../contract/json.ts'
import { conversationAppend as contract } from '../../../contract/ops/conversation/append.ts'
import { detectSensitivity } from '../../../domain/sensitivity/detect.ts'
import { defineWrite, type WriteContext } from '../../handler.ts'
import { EMBED_MESSAGES } from '../../jobs/embed-messages.ts'
import { lockKeys } from '../../store/memories.ts'
import { addMessages, messagesById, raiseMessages, type NewMessage } from '../../store/messages.ts'
import { touchNamespace } from '../../store/namespaces.ts'
import { toldAt } from '../../store/runs.ts'
import { putThread, threadAt, threadLock, type Thread, type ThreadPlace } from '../../store/threads.ts'
import { newMessages, type Sorted } from '../../write/new-messages.ts'
import { detectsLevels, higherLevel } from '../../write/sensitivity.ts'

type Call = Input<typeof contract>

async function levelsOf(fresh: Sorted['fresh'], { tx, identity, parts }: WriteContext): Promise<Sensitivity[]> {
  const settings = await parts.settings.get(tx, identity.org, identity.namespace)
  const detects = detectsLevels(settings, parts.config)
  return fresh.map(({ said }) => said.sensitivity ?? (detects ? detectSensitivity(said.content) : ''))
}

function threadRow(place: ThreadPlace, before: Thread | null, input: Call, lastSeq: bigint, context: WriteContext) {
  const live = before?.tombstoned_at === null ? before : null
  const { agent, session_id } = context.identity
  const at = toldAt(context)
  return {
    ...place,
    title: input.title ?? live?.title ?? '',
    metadata: input.metadata === undefined ? (live?.metadata ?? '{}') : stringifyJson(input.metadata),
    sensitivity: input.sensitivity ?? live?.sensitivity ?? '',
    last_seq: lastSeq,
    agent: live?.agent ?? agent,
    session_id: live?.session_id ?? session_id,
    actor: live?.actor ?? context.actor,
    created_at: live?.created_at ?? at,
    updated_at: at,
    tombstoned_at: null,
  }
}

const isSame = (a: Thread, b: Pick<Thread, 'title' | 'metadata' | 'sensitivity'>): boolean =>
  a.title === b.title && a.metadata === b.metadata && a.sensitivity === b.sensitivity

export const conversationAppend = defineWrite(contract, {
  async run(input, context): Promise<Output<typeof contract>> {
    const { tx, identity, parts, actor } = context
    const { org, namespace, user_id, agent, session_id } = identity
    const thread_id = input.thread_id ?? (session_id === '-' ? v7() : session_id)
    const place = { org, namespace, user_id, thread_id }
    await lockKeys(tx, parts.database.kind, [threadLock(place)])
    const before = await threadAt(tx, place)
    const named = input.messages.flatMap((said) => said.message_id ?? [])
    const { ids, fresh } = newMessages(input.messages, await messagesById(tx, place, named))
    const levels = await levelsOf(fresh, context)
    const first = (before?.last_seq ?? 0n) + 1n
    const at = toldAt(context)
    const thread = threadRow(place, before, input, first + BigInt(fresh.length) - 1n, context)
    const rows = fresh.map(({ said, id }, index): NewMessage => ({
      ...place,
      message_id: id,
      seq: first + BigInt(index),
      role: said.role,
      name: said.name,
      content: said.content,
      at: said.at === undefined ? at : new Date(said.at),
      sensitivity: higherLevel(levels[index] ?? '', thread.sensitivity as Sensitivity),
      own_sensitivity: levels[index] ?? '',
      metadata: stringifyJson(said.metadata),
      run_id: input.run_id ?? '',
      agent,
      session_id,
      actor,
      created_at: context.now,
      tombstoned_at: null,
    }))
    const answer = {
      thread_id,
      created: before === null || before.tombstoned_at !== null,
      appended: fresh.length,
      repeated: input.messages.length - fresh.length,
      message_ids: [...ids],
      last_seq: Number(thread.last_seq),
    }
    // The same call again leaves the same row.
    if (before && !answer.created && fresh.length === 0 && isSame(before, thread)) return answer
    await touchNamespace(tx, org, namespace, context.now)
    if (before?.tombstoned_at === null && before.sensitivity !== thread.sensitivity) await raiseMessages(tx, place, thread.sensitivity)
    await addMessages(tx, place, rows)
    await putThread(tx, thread)
    context.afterCommit(() => parts.wake(EMBED_MESSAGES))
    return answer
  },
})
