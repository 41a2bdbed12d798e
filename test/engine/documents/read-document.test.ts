import { describe, expect, test } from 'vitest'
import { refused } from '../../helpers/errors.ts'
import { readDocument, type ReadDocument, type Unread } from '../../../shared/engine/documents/read-document.ts'
import { makePdf } from '../../helpers/pdf.ts'

const read = (content: Unread['content'], format: Unread['format'], more: Partial<Unread> = {}): Promise<ReadDocument> =>
  readDocument({ content, format, source: '', title: '', ...more })
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text))
const cut = ({ chunks }: ReadDocument) => chunks.map(({ section, text, lines, page }) => ({ section, text, lines, page }))

describe('PDF', () => {
  test('is read page by page, with its outline as headings', async () => {
    const pdf = makePdf({
      pages: ['Cover', 'Deploys run on Tuesday.\nNever on Friday.', 'And on Thursday.', 'Call the desk.'],
      title: 'Runbook',
      outline: [
        { title: 'Windows', page: 2 },
        { title: 'Help', page: 4 },
      ],
    })
    const document = await read(pdf, 'pdf')
    expect(document).toMatchObject({ title: 'Runbook', pages: 4 })
    expect(cut(document)).toEqual([
      { section: [], text: 'Cover', lines: null, page: 1 },
      { section: ['Windows'], text: 'Deploys run on Tuesday.\nNever on Friday.', lines: null, page: 2 },
      { section: ['Windows'], text: 'And on Thursday.', lines: null, page: 3 },
      { section: ['Help'], text: 'Call the desk.', lines: null, page: 4 },
    ])
  })

  test('is refused where it is encrypted, has no text, or is none', async () => {
    expect(await refused(read(makePdf({ pages: ['Secret'], encrypted: true }), 'pdf'), 'INVALID_ARGUMENT')).toMatchObject({
      fields: { field: 'content_base64' },
      message: expect.stringContaining('encrypted'),
    })
    expect(await refused(read(makePdf({ pages: ['', ''] }), 'pdf'), 'INVALID_ARGUMENT')).toMatchObject({
      message: expect.stringContaining('without text'),
    })
    expect(await refused(read(bytes('%PDF-1.4 and no more'), 'pdf'), 'INVALID_ARGUMENT')).toMatchObject({
      message: expect.stringContaining('not a PDF'),
    })
    expect(await refused(read('%PDF-1.4', 'pdf'), 'INVALID_ARGUMENT')).toMatchObject({ fields: { field: 'text' } })
  })

  test('keeps nothing of a file that a page could not', async () => {
    const cutShort = makePdf({ pages: ['one', 'two'] }).slice(0, 400)
    expect(await refused(read(cutShort, 'pdf'), 'INVALID_ARGUMENT')).toMatchObject({ fields: { field: 'content_base64' } })
  })
})

describe('HTML', () => {
  test('is cut at headings; scripts, styles and navigation are left out', async () => {
    const document = await read(
      `<!doctype html><html><head><title>Run &amp; rest</title><style>.x{color:red}</style><script>alert('boo')</script></head><body>
       <nav><a href="/">Home link</a></nav><h1>Deploys</h1><p>They run on <b>Tuesday</b>&nbsp;only.</p><script>document.write('evil')</script>
       <h2>Never</h2><ul><li>on Friday</li><li>at night</li></ul><table><tr><td>env</td><td>day</td></tr><tr><td>prod</td><td>Tue</td></tr></table>
       <pre>a  b
  c</pre><p hidden>unseen</p></body></html>`,
      'html',
    )
    expect(document.title).toBe('Run & rest')
    expect(document.text).not.toMatch(/boo|evil|color|Home link|unseen/)
    expect(cut(document)).toEqual([
      { section: ['Deploys'], text: 'They run on Tuesday only.', lines: null, page: null },
      { section: ['Deploys', 'Never'], text: 'on Friday\nat night\n\nenv day\nprod Tue\n\na  b\n  c', lines: null, page: null },
    ])
  })

  test('is read in the encoding that it names, and with broken bytes', async () => {
    const latin = new Uint8Array(Buffer.from('<meta charset="iso-8859-1"><h1>Caf\xe9</h1><p>Z\xfcrich</p>', 'latin1'))
    expect((await read(latin, 'html')).text).toContain('Zürich')
    const undeclared = new Uint8Array(Buffer.from('<p>Z\xfcrich</p>', 'latin1'))
    expect((await read(undeclared, 'html')).text).toBe('Zürich')
    expect((await read(bytes('<p>a\0b \u65e5\u672c\u8a9e</p>'), 'html')).text).toBe('a\ufffdb 日本語')
  })

  test('needs no closing tags, and no stack for a page that is nested deep', async () => {
    expect((await read(`${'<div>'.repeat(20_000)}deep`, 'html')).text).toBe('deep')
    expect((await read(`${'<p>one<br>'.repeat(30_000)}<p>last`, 'html')).text.slice(-4)).toBe('last')
    const bomb = '<div>'.repeat(2_000_000)
    const field = async (content: string | Uint8Array) => (await refused(read(content, 'html'), 'INVALID_ARGUMENT')).fields['field']
    expect([await field(bomb), await field(bytes(bomb))]).toEqual(['text', 'content_base64'])
    expect(cut(await read('<h1>A<h2>B<p>text', 'html'))).toEqual([{ section: ['A', 'B'], text: 'text', lines: null, page: null }])
  })
})

describe('Markdown and text', () => {
  test('are cited by their lines, whatever ends them', async () => {
    const markdown = '---\ntitle: x\n---\n# Deploy\n\n## Windows\n\nProduction *deploys*\nrun Tuesday.\n\n```sh\n# not a heading\n```\n'
    for (const text of [markdown, markdown.replaceAll('\n', '\r\n'), markdown.replaceAll('\n', '\r')])
      expect(cut(await read(text, 'markdown')).map(({ section, lines }) => ({ section, lines }))).toEqual([
        { section: [], lines: { from: 1, to: 3 } },
        { section: ['Deploy', 'Windows'], lines: { from: 8, to: 13 } },
      ])
  })

  test('take their title from what they hold', async () => {
    expect((await read('intro\n\nThe *first* `head`\n===\nbody', 'markdown')).title).toBe('The first head')
    expect((await read('no heading', 'markdown', { source: 'docs/plan.md?v=2' })).title).toBe('plan.md')
    expect((await read('\n\n  first line\nsecond', 'text')).title).toBe('first line')
    expect((await read('# Own', 'markdown', { title: 'Given' })).title).toBe('Given')
  })

  test('are refused in other encodings than they say, and where they hold nothing', async () => {
    expect((await read(new Uint8Array(Buffer.from('\ufeffhällo', 'utf16le')), 'text')).text).toBe('hällo')
    for (const broken of [Uint8Array.of(0xff, 0x00, 0x41), Uint8Array.of(0x41, 0x00), Uint8Array.of(0xc3, 0x28)])
      expect(await refused(read(broken, 'text'), 'INVALID_ARGUMENT')).toMatchObject({ fields: { field: 'content_base64' } })
    expect(await refused(read(' \n\t ', 'markdown'), 'INVALID_ARGUMENT')).toMatchObject({
      fields: { field: 'text' },
      message: expect.stringContaining('no text'),
    })
  })

  test('of ten megabytes without an end of line are cut in time that grows with their length', async () => {
    const from = performance.now()
    const { chunks } = await read('word '.repeat(2_000_000), 'markdown')
    expect(chunks.length).toBeGreaterThan(8000)
    expect(chunks.every(({ text }) => text.length <= 1200)).toBe(true)
    // A second or two; a cut that looked at the rest each time would take an hour.
    expect(performance.now() - from).toBeLessThan(15_000)
  })
})
