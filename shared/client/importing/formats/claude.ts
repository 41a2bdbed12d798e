import type { SourceFile } from '../bytes.ts'
import { instantOf, isFields, left, listIn, textIn, type Fields, type Found, type Place } from '../found.ts'
import type { Head } from '../head.ts'
import { readDocument } from '../json-lines.ts'
import { markdownClaims } from '../markdown-blocks.ts'
import { statementOf } from '../statement.ts'
import type { Importer } from '../importer.ts'

/** conversations.json and memories.json of a Claude data export. */

const recognises = (head: Head): boolean => head.isDocument && (head.has('chat_messages') || head.has('conversations_memory'))

function textOf(message: Fields): string {
  const blocks = listIn(message, 'content').flatMap((block) => (isFields(block) && block['type'] === 'text' ? [textIn(block, 'text')] : []))
  return blocks.join('\n').trim() || textIn(message, 'text')
}

function* readMemories(account: Fields, at: Place): Generator<Found> {
  const about = (name: string): { tags: string[]; trace: string } => ({ tags: ['claude', 'memory'], trace: `claude/memory/${name}` })
  yield* markdownClaims(textIn(account, 'conversations_memory'), about('conversations'), at)
  const projects = isFields(account['project_memories']) ? account['project_memories'] : {}
  for (const [project, text] of Object.entries(projects))
    if (typeof text === 'string') yield* markdownClaims(text, about(`project/${project}`), at)
}

const read = (file: SourceFile): AsyncIterable<Found> =>
  readDocument(file, function* (record, at) {
    if ('conversations_memory' in record || 'project_memories' in record) return yield* readMemories(record, at)
    for (const message of listIn(record, 'chat_messages')) {
      if (!isFields(message)) continue
      const trace = `claude/${textIn(record, 'uuid')}/${textIn(message, 'uuid')}`
      if (message['sender'] !== 'human') yield left('answer')
      else yield statementOf(textOf(message), { tags: ['claude'], valid_at: instantOf(message['created_at']), trace }, at)
    }
  })

export const claude: Importer = { recognises, read }
