import type { SourceFile } from '../bytes.ts'
import { instantOf, isFields, left, listIn, textIn, type Fields, type Found, type Place } from '../found.ts'
import type { Head } from '../head.ts'
import { readLines } from '../json-lines.ts'
import { statementOf } from '../statement.ts'
import type { Importer } from '../importer.ts'

/** Session JSONL of Claude Code and of Codex: what the person told the agent. */

const isClaudeCode = (record: Fields): boolean => typeof record['sessionId'] === 'string' && typeof record['type'] === 'string'
const isCodex = (record: Fields): boolean => isFields(record['payload']) && typeof record['type'] === 'string'

const recognises = (head: Head): boolean => head.records.some((record) => isClaudeCode(record) || isCodex(record))

/** What a program put in the person's place: commands, their output, reminders, instructions. */
const MACHINE = /^\s*(?:<[a-z_-]+[\s>]|# AGENTS\.md instructions|Caveat: The messages below)/i
const TEXTS = new Set(['text', 'input_text'])

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  const blocks = Array.isArray(content)
    ? content.filter((block): block is Fields => isFields(block) && TEXTS.has(textIn(block, 'type')))
    : []
  return blocks
    .map((block) => textIn(block, 'text'))
    .filter((text) => !MACHINE.test(text))
    .join('\n')
}

function* said(content: unknown, tag: string, when: unknown, trace: string, at: Place): Generator<Found> {
  const text = textOf(content)
  if (text.trim() === '' || MACHINE.test(text)) return yield left('machine')
  yield statementOf(text, { tags: [tag], valid_at: instantOf(when), trace }, at)
}

async function* read(file: SourceFile): AsyncGenerator<Found> {
  let session = ''
  yield* readLines(file, function* (record, at) {
    if (isCodex(record)) {
      const payload = record['payload'] as Fields
      if (record['type'] === 'session_meta') session = textIn(payload, 'id')
      if (payload['type'] !== 'message') return yield left('machine')
      if (payload['role'] !== 'user') return yield left('answer')
      return yield* said(payload['content'], 'codex', record['timestamp'], `codex/${session}/${at.line ?? 0}`, at)
    }
    const message = isFields(record['message']) ? record['message'] : {}
    if (record['type'] !== 'user' || record['isMeta'] === true || record['isSidechain'] === true) {
      return yield left(record['type'] === 'assistant' ? 'answer' : 'machine')
    }
    if (listIn(message, 'content').some((block) => isFields(block) && block['type'] === 'tool_result')) return yield left('machine')
    yield* said(
      message['content'],
      'claude-code',
      record['timestamp'],
      `claude-code/${textIn(record, 'sessionId')}/${textIn(record, 'uuid')}`,
      at,
    )
  })
}

export const agentSession: Importer = { recognises, read }
