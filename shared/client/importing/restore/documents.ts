import { textIn, textsIn, type Fields, type Place } from '../found.ts'
import { classOf, orTold, ownerOf, type Restoring } from './context.ts'

const OF_TEXT: ReadonlySet<string> = new Set(['markdown', 'text'])

/** The document as it was given: its text where that is all of it, else the original; without one its text as a text. */
function contentOf(row: Fields, original: string): { readonly content: Fields; readonly reason: string } {
  const format = textIn(row, 'format')
  if (row['as_given'] !== true && original !== '') return { content: { content_base64: original, format }, reason: '' }
  if (row['as_given'] === true || OF_TEXT.has(format)) return { content: { text: row['text'], format }, reason: '' }
  return { content: { text: row['text'], format: 'text' }, reason: 'text_only' }
}

/** Puts documents back by knowledge.add. The pieces of an original come after the document that they belong to. */
export function createDocuments(restoring: Restoring) {
  const { client, place, dryRun, options, tally } = restoring
  let waiting: { readonly row: Fields; readonly at: Place; readonly pieces: string[] } | null = null

  async function flush(): Promise<void> {
    if (waiting === null) return
    const { row, at, pieces } = waiting
    waiting = null
    const { content, reason } = contentOf(row, pieces.join(''))
    const { collection, document_key, source, metadata } = row
    const title = textIn(row, 'title')
    const input = {
      ...place,
      ...ownerOf(row),
      ...content,
      collection,
      document_key,
      source,
      metadata,
      tags: textsIn(row, 'tags'),
      dry_run: dryRun,
      ...(title !== '' && { title }),
      ...(row['sensitivity_stated'] === true && { sensitivity: row['sensitivity'] }),
      ...classOf(row),
      ...(textIn(row, 'run_id') !== '' && { run_id: row['run_id'] }),
    }
    const answer = await orTold(at, restoring, `document ${String(document_key)}`, () => client.call('knowledge.add', input, options))
    if (answer?.['noop'] === true) tally.result('skipped', 'unchanged')
    else if (answer) tally.result('written', reason, 'document')
  }

  return {
    flush,
    async document(row: Fields, at: Place): Promise<void> {
      await flush()
      tally.found()
      waiting = { row, at, pieces: [] }
    },
    original(row: Fields): void {
      if (waiting !== null && waiting.row['document_id'] === row['document_id']) waiting.pieces.push(textIn(row, 'content_base64'))
    },
  }
}
