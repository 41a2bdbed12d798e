import type { SourceFile } from '../bytes.ts'
import { claimOf, instantOf, isFields, left, listIn, textIn, type Fields, type Found, type Place } from '../found.ts'
import type { Head } from '../head.ts'
import { readDocument } from '../json-lines.ts'
import { statementOf } from '../statement.ts'
import type { Importer } from '../importer.ts'

/** conversations.json of a ChatGPT data export: what the person said, and what ChatGPT was told to remember. */

const recognises = (head: Head): boolean => head.isDocument && head.has('mapping') && head.has('create_time')

/** Where ChatGPT keeps a memory: a message to the tool `bio`, and the list that it is shown. */
const TO_MEMORY = 'bio'
const CONTEXTS = new Set(['model_editable_context', 'user_editable_context'])
/** "1. [2024-05-01]. Likes tea." */
const LISTED = /^\s*(?:\d+\.\s*)?(?:\[(\d{4}-\d\d-\d\d)\]\.?\s*)?(.+)$/

function partsOf(content: Fields): string {
  const parts = listIn(content, 'parts').filter((part): part is string => typeof part === 'string')
  return parts.join('\n').trim() || textIn(content, 'text')
}

function* memories(text: string, said: string | undefined, trace: string, at: Place): Generator<Found> {
  for (const line of text.split('\n')) {
    const [, day, memory = ''] = LISTED.exec(line) ?? []
    if (memory.trim() !== '') yield claimOf(memory, { tags: ['chatgpt', 'memory'], valid_at: instantOf(day) ?? said, trace }, at)
  }
}

function* readMessage(message: Fields, conversation: string, at: Place): Generator<Found> {
  const author = isFields(message['author']) ? textIn(message['author'], 'role') : ''
  const content = isFields(message['content']) ? message['content'] : {}
  const metadata = isFields(message['metadata']) ? message['metadata'] : {}
  const said = instantOf(message['create_time'])
  const trace = `chatgpt/${conversation}/${textIn(message, 'id')}`
  const type = textIn(content, 'content_type')
  if (message['recipient'] === TO_MEMORY) return yield* memories(partsOf(content), said, trace, at)
  if (CONTEXTS.has(type)) return yield* memories(textIn(content, 'model_set_context'), said, trace, at)
  if (author !== 'user') return yield left('answer')
  if (metadata['is_visually_hidden_from_conversation'] === true) return yield left('hidden')
  yield statementOf(partsOf(content), { tags: ['chatgpt'], valid_at: said, trace }, at)
}

/** Messages in the order of their time. The tree that they hang in is not walked: a broken one may lead in a circle. */
function messagesOf(mapping: Fields): Fields[] {
  const messages = Object.values(mapping).flatMap((node) => (isFields(node) && isFields(node['message']) ? [node['message']] : []))
  const timeOf = (message: Fields): number => (typeof message['create_time'] === 'number' ? message['create_time'] : 0)
  return messages.sort((a, b) => timeOf(a) - timeOf(b))
}

const read = (file: SourceFile): AsyncIterable<Found> =>
  readDocument(file, function* (conversation, at) {
    const id = textIn(conversation, 'conversation_id') || textIn(conversation, 'id')
    if (!isFields(conversation['mapping'])) return yield left('not_memory')
    for (const message of messagesOf(conversation['mapping'])) yield* readMessage(message, id, at)
  })

export const chatgpt: Importer = { recognises, read }
