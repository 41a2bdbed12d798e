import { v7 } from 'uuid'
import type { Input } from '../../contract/declare.ts'
import { LoomError } from '../../contract/errors.ts'
import type { conversationAppend } from '../../contract/ops/conversation/append.ts'
import type { Message } from '../store/messages.ts'

type Said = Input<typeof conversationAppend>['messages'][number]

/** @throws LoomError ALREADY_EXISTS: an id stands for one message. */
function refuse(at: number, id: string): never {
  throw new LoomError('ALREADY_EXISTS', `messages[${at}]: the thread has another message ${id}. Give this one another message_id.`, {
    field: `messages[${at}]`,
  })
}

export interface Sorted {
  readonly ids: readonly string[]
  readonly fresh: readonly { readonly said: Said; readonly id: string }[]
}

/**
 * Which messages are new, and which were told before; two of one id in the call are one.
 * @param known those of the thread, by id
 * @throws LoomError ALREADY_EXISTS for an id of a message that says something else
 */
export function newMessages(messages: readonly Said[], known: ReadonlyMap<string, Message>): Sorted {
  const seen = new Map<string, Pick<Message, 'role' | 'content'>>()
  for (const [id, message] of known) if (message.tombstoned_at === null) seen.set(id, message)
  const fresh: { said: Said; id: string }[] = []
  const ids = messages.map((said, at) => {
    const id = said.message_id ?? v7()
    const before = seen.get(id)
    if (before && (before.role !== said.role || before.content !== said.content)) refuse(at, id)
    if (!before) {
      seen.set(id, said)
      fresh.push({ said, id })
    }
    return id
  })
  return { ids, fresh }
}
