import { deflateSync } from 'node:zlib'

export interface PdfOptions {
  /** Text of each page, a line for each line. */
  readonly pages: readonly string[]
  readonly title?: string
  /** Headings with the page that each begins on, from 1. */
  readonly outline?: readonly { readonly title: string; readonly page: number }[]
  /** Asks for a password that nobody has. */
  readonly encrypted?: boolean
  /** Bytes in place of the first page's content, compressed. */
  readonly content?: Uint8Array
}

const quote = (text: string): string => `(${text.replaceAll(/[\\()]/g, '\\$&')})`

function contentOf(text: string): string {
  const lines = text.split('\n').map((line) => `${quote(line)} Tj T*`)
  return text === '' ? '' : `BT /F1 12 Tf 14 TL 72 720 Td ${lines.join(' ')} ET`
}

/** A PDF of the simplest kind, for tests: one font, text in ASCII. */
export function makePdf({ pages, title, outline = [], encrypted = false, content }: PdfOptions): Uint8Array {
  const objects: (string | Buffer)[] = []
  const add = (body: string | Buffer): number => objects.push(body)
  const pageRef = (page: number): number => 4 + (page - 1) * 2
  const outlineRef = 4 + pages.length * 2
  add(`<< /Type /Catalog /Pages 2 0 R ${outline.length > 0 ? `/Outlines ${outlineRef} 0 R` : ''} >>`)
  add(`<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, at) => `${pageRef(at + 1)} 0 R`).join(' ')}] >>`)
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>')
  for (const [at, text] of pages.entries()) {
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${pageRef(at + 1) + 1} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
    )
    const stream = at === 0 && content ? deflateSync(content) : Buffer.from(contentOf(text), 'latin1')
    const filter = at === 0 && content ? '/Filter /FlateDecode' : ''
    add(Buffer.concat([Buffer.from(`<< /Length ${stream.length} ${filter} >>\nstream\n`), stream, Buffer.from('\nendstream')]))
  }
  if (outline.length > 0) {
    const first = outlineRef + 1
    add(`<< /Type /Outlines /First ${first} 0 R /Last ${outlineRef + outline.length} 0 R /Count ${outline.length} >>`)
    for (const [at, item] of outline.entries()) {
      const next = at + 1 < outline.length ? `/Next ${first + at + 1} 0 R` : ''
      add(`<< /Title ${quote(item.title)} /Parent ${outlineRef} 0 R /Dest [${pageRef(item.page)} 0 R /Fit] ${next} >>`)
    }
  }
  const info = title === undefined ? 0 : add(`<< /Title ${quote(title)} >>`)
  const lock = encrypted ? add(`<< /Filter /Standard /V 1 /R 2 /P -4 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> >>`) : 0
  let file = Buffer.from('%PDF-1.4\n')
  const places = objects.map((body, at) => {
    const place = file.length
    file = Buffer.concat([file, Buffer.from(`${at + 1} 0 obj\n`), Buffer.from(body as string, 'latin1'), Buffer.from('\nendobj\n')])
    return place
  })
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  const more = `${info ? `/Info ${info} 0 R` : ''} ${lock ? `/Encrypt ${lock} 0 R /ID [<00> <00>]` : ''}`
  const tail = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${more} >>\nstartxref\n${file.length}\n%%EOF\n`
  return new Uint8Array(Buffer.concat([file, Buffer.from(tail)]))
}
