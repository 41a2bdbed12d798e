import { sql } from 'kysely'
import type { Reader } from '../db/database.ts'
import { encodeHalfvec, encodeSignBits } from '../db/vector-bytes.ts'
import { embeddedMessage } from '../library/conversation-shelf.ts'
import type { EngineParts } from '../parts.ts'
import type { Embedder } from '../ports.ts'
import { ofThread, type ThreadPlace } from '../store/threads.ts'
import type { Job } from './job.ts'

export const EMBED_MESSAGES = 'embed_messages'
const BATCH = 64

interface Lacking extends ThreadPlace {
  readonly message_id: string
  readonly seq: bigint
  readonly name: string
  readonly content: string
}

/** Messages that search finds and that lack a vector of this model, newest first. */
async function messagesWithout(db: Reader, model: string, limit: number): Promise<Lacking[]> {
  const { rows } = await sql<Lacking>`SELECT m.org, m.namespace, m.user_id, m.thread_id, m.message_id, m.seq, m.name, m.content
    FROM loom.conversation_message m WHERE m.tombstoned_at IS NULL AND m.sensitivity <> 'high' AND NOT EXISTS (SELECT 1
      FROM loom.conversation_embedding e WHERE e.org = m.org AND e.namespace = m.namespace AND e.thread_id = m.thread_id
        AND e.user_id = m.user_id AND e.message_id = m.message_id AND e.model = ${model})
    ORDER BY m.created_at DESC, m.seq LIMIT ${limit}`.execute(db)
  return rows
}

/** Puts vectors of one thread in, of the messages that are still the ones read. */
async function complete(parts: EngineParts, embedder: Embedder, of: readonly Lacking[]): Promise<void> {
  const [first] = of
  if (!first) return
  const vectors = await embedder.embed(of.map(embeddedMessage))
  await parts.database.transaction(async (tx) => {
    await parts.numbers.enter(tx, first.org)
    for (const [at, message] of of.entries()) {
      const vector = vectors[at]
      if (!vector) continue
      const { org, namespace, user_id, thread_id, message_id, seq } = message
      await sql`INSERT INTO loom.conversation_embedding (org, namespace, user_id, thread_id, message_id, model, code, vec)
        SELECT ${org}, ${namespace}, ${user_id}, ${thread_id}, ${message_id}, ${embedder.id}, ${encodeSignBits(vector)}::bit varying, ${encodeHalfvec(vector)}::halfvec
        WHERE EXISTS (SELECT 1 FROM loom.conversation_message WHERE ${ofThread(message)} AND org = ${org} AND message_id = ${message_id}
          AND seq = ${seq} AND tombstoned_at IS NULL AND sensitivity <> 'high')
        ON CONFLICT (org, namespace, thread_id, user_id, message_id) DO UPDATE SET model = excluded.model, code = excluded.code, vec = excluded.vec`.execute(
        tx,
      )
    }
    await sql`UPDATE loom.conversation_thread SET index_rev = nextval('loom.index_rev') WHERE ${ofThread(first)} AND org = ${first.org}`.execute(
      tx,
    )
  })
}

/** Gives every saved message a vector of the model in force. Each thread is a transaction of its own, so it stops at any point. */
export const embedMessages: Job = {
  name: EMBED_MESSAGES,
  // The search for such messages reads the whole store; who saves one wakes the job.
  everyMs: 600_000,
  async run(parts, signal) {
    const { embedder } = parts.models
    if (!embedder || signal.aborted) return 'done'
    const lacking = await messagesWithout(parts.database.reader, embedder.id, BATCH)
    const threads = new Map<string, Lacking[]>()
    for (const message of lacking) {
      const name = JSON.stringify([message.org, message.namespace, message.user_id, message.thread_id])
      threads.set(name, [...(threads.get(name) ?? []), message])
    }
    for (const messages of threads.values()) {
      if (signal.aborted) return 'done'
      await complete(parts, embedder, messages)
    }
    if (lacking.length > 0) parts.log.info({ messages: lacking.length, model: embedder.id }, 'made missing vectors of messages')
    return lacking.length < BATCH ? 'done' : 'again'
  },
}
