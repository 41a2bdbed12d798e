import type { SourceFile } from '../bytes.ts'
import { left, type Found } from '../found.ts'
import type { Head } from '../head.ts'
import { statementOf } from '../statement.ts'
import { readNote } from '../note.ts'
import type { Importer } from '../importer.ts'

/** A chat with an assistant that somebody saved as Markdown: `**You:** …`, `**ChatGPT:** …`. What the person said. */

const TURN = /^\s*(?:\*\*|#{1,6}\s+)?(You|User|Human|ChatGPT|Claude|Assistant|Gemini|Copilot)(?:\s+said)?:?(?:\*\*)?:?\s*(.*)$/
const PERSON = new Set(['You', 'User', 'Human'])
const isTurn = (line: string): boolean => /^\s*(?:\*\*|#{1,6}\s)/.test(line) && /:/.test(line) && TURN.test(line)

function recognises(head: Head): boolean {
  if (head.isDocument || head.records.length > 0) return false
  const speakers = new Set(head.lines.filter(isTurn).map((line) => PERSON.has(TURN.exec(line)?.[1] ?? '')))
  return speakers.size === 2
}

async function* read(file: SourceFile): AsyncGenerator<Found> {
  const note = yield* readNote(file)
  if (note === null) return
  const { about, body, line: first } = note
  let turn: { isPerson: boolean; parts: string[]; line: number } | null = null
  const told = (): Found[] => {
    if (turn === null) return []
    const { isPerson, parts, line } = turn
    if (!isPerson) return [left('answer')]
    return [statementOf(parts.join('\n'), { ...about, trace: `${file.path}:${line}` }, { path: file.path, line })]
  }
  for (const [place, line] of body.split(/\r?\n/).entries()) {
    if (isTurn(line)) {
      yield* told()
      const [, name = '', said = ''] = TURN.exec(line) ?? []
      turn = { isPerson: PERSON.has(name), parts: [said], line: first + place }
    } else turn?.parts.push(line)
  }
  yield* told()
}

export const transcript: Importer = { recognises, read }
