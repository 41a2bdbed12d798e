import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { conversationDelete as contract } from '../../../contract/ops/conversation/delete.ts'
import { defineWrite, type WriteContext } from '../../handler.ts'
import { tellWritten } from '../../library/written.ts'
import { writeAudit } from '../../store/audit.ts'
import { lockKeys } from '../../store/memories.ts'
import { tombstoneMessages } from '../../store/messages.ts'
import { toldAt } from '../../store/runs.ts'
import { countMessages, findThread, ofThread, threadLock, type Thread } from '../../store/threads.ts'

async function tombstoneThread(thread: Thread, now: Date, { tx }: WriteContext): Promise<void> {
  await sql`UPDATE loom.conversation_thread SET tombstoned_at = ${now}, updated_at = ${now}, rev = rev + 1, index_rev = nextval('loom.index_rev')
    WHERE ${ofThread(thread)} AND org = ${thread.org}`.execute(tx)
}

export const conversationDelete = defineWrite(contract, {
  async run({ thread_id, message_ids }, context): Promise<Output<typeof contract>> {
    const { tx, parts, actor, caller } = context
    const found = await findThread(tx, thread_id, context)
    if (!found) return { found: false, deleted: 0 }
    await lockKeys(tx, parts.database.kind, [threadLock(found)])
    // Who waited for the lock sees what was deleted meanwhile.
    const seen = await findThread(tx, thread_id, context)
    if (!seen) return { found: false, deleted: 0 }
    tellWritten(tx, seen)
    const at = toldAt(context)
    const deleted = await tombstoneMessages(tx, seen, message_ids ?? null, at)
    await countMessages(tx, seen)
    if (message_ids === undefined) await tombstoneThread(seen, at, context)
    if (message_ids === undefined || deleted > 0) {
      const { org, namespace, agent, user_id, session_id } = seen
      const subject = `thread:${agent}/${user_id}/${session_id}/${thread_id}`
      const place = { org, namespace, agent, user_id, session_id }
      await writeAudit(tx, [{ op: contract.name, at: context.now, ...place, actor, requestId: caller.requestId, subject }])
    }
    return { found: true, deleted }
  },
})
