import { describe, expect, test } from 'vitest'
import { createDocumentReader, type ReaderLimits } from '../../../shared/engine/documents/reader.ts'
import type { Unread } from '../../../shared/engine/documents/read-document.ts'
import { refused } from '../../helpers/errors.ts'
import { bundledModule } from '../../helpers/model-worker.ts'
import { makePdf } from '../../helpers/pdf.ts'

const readerWith = (limits: Partial<ReaderLimits> = {}) =>
  createDocumentReader({ workerUrl: () => bundledModule('shared/engine/documents/worker.ts'), limits })
const unread = (content: Unread['content'], format: Unread['format']): Unread => ({ content, format, source: '', title: '' })

/** The longest that the thread was held up while the work ran, in milliseconds. */
async function longestPause(work: Promise<unknown>): Promise<number> {
  let longest = 0
  let last = performance.now()
  const beat = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }, 1)
  await work.catch(() => undefined)
  clearInterval(beat)
  return longest
}

/** Each end of an element that was never begun is looked for among all that are open. */
const SLOW = `${'<div>'.repeat(20_000)}${'</x>'.repeat(3_000_000)}`

describe('a document is read beside the thread that answers', () => {
  test('which a page of five megabytes does not hold up', async () => {
    const reader = readerWith()
    await reader.read(unread('<p>warm</p>', 'html'))
    const page = `<h1>Log</h1>${'<p>Each <b>line</b> of it is read.</p>'.repeat(130_000)}`
    const read = reader.read(unread(page, 'html'))
    // What comes back is copied here: that is all it costs.
    expect(await longestPause(read)).toBeLessThan(400)
    expect((await read).chunks.length).toBeGreaterThan(2000)
  })

  test('and not for longer than it may: what no reader is quick with is refused', async () => {
    const from = performance.now()
    const error = await refused(readerWith({ timeMs: 1000 }).read(unread(SLOW, 'html')), 'INVALID_ARGUMENT')
    expect(error.message).toMatch(/^text: takes too much time to read/)
    expect(performance.now() - from).toBeLessThan(10_000)
  })

  test('nor with more memory: a PDF that unpacks without end is refused, and this process lives on', async () => {
    const bomb = makePdf({ pages: ['x'], content: new Uint8Array(400_000_000) })
    expect(bomb.length).toBeLessThan(1_000_000)
    const reader = readerWith({ bytes: 200_000_000, timeMs: 20_000 })
    const error = await refused(reader.read(unread(bomb, 'pdf')), 'INVALID_ARGUMENT')
    expect(error.message).toMatch(/takes too much (memory|time)|without text/)
    expect((await reader.read(unread(makePdf({ pages: ['Still here.'] }), 'pdf'))).text).toBe('Still here.')
  })

  test('and ends when the caller goes away', async () => {
    const gone = new AbortController()
    const read = readerWith().read(unread(SLOW, 'html'), gone.signal)
    setTimeout(() => gone.abort(), 300)
    await refused(read, 'CANCELLED')
  })
})
