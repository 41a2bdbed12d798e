import type { Draft, Left } from './split.ts'
import type { Identity } from '../../identity.ts'

type Fields = Readonly<Record<string, unknown>>
type ArgsOf = (op: string, args: Fields, identity: Identity) => Record<string, unknown>

const OF_LIBRARY: ReadonlySet<string> = new Set(['knowledge.add', 'knowledge.delete', 'conversation.append', 'conversation.delete'])
export const isOfLibrary = (op: string): boolean => OF_LIBRARY.has(op)

/** What the call itself left to be found is told as it was found: the server must come to the same document, thread and messages. */
function told({ replay, answer, written }: Left): Fields {
  const { op } = replay
  // A document that changed on the server meanwhile is not replaced, nor deleted, unseen.
  const match = written && written.sha256 !== '' ? { if_match_sha256: replay.args['if_match_sha256'] ?? written.sha256 } : {}
  const args: Fields = { ...replay.args, ...match }
  if (op === 'knowledge.add') {
    const { document_key, format, title } = answer
    return { ...args, document_key, format, title }
  }
  if (op !== 'conversation.append') return args
  const ids = answer['message_ids'] as readonly string[]
  const messages = (args['messages'] as readonly Fields[]).map((message, at) => ({ ...message, message_id: ids[at] }))
  return { ...args, thread_id: answer['thread_id'], messages }
}

/** The change that an operation on documents or conversations leaves: one, or none where nothing changed. */
export function ofLibrary(left: Left, argsOf: ArgsOf): Draft[] {
  const { replay, answer, written } = left
  const { op } = replay
  const identity = written?.identity ?? left.identity
  if (answer['noop'] === true || answer['dry_run'] === true || answer['found'] === false) return []
  return [{ op, via: '', args: argsOf(op, told(left), identity), identity: { ...identity }, memoryKey: '', row: null }]
}
