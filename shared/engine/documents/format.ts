export const FORMATS = ['markdown', 'text', 'html', 'pdf'] as const
export type Format = (typeof FORMATS)[number]

const EXTENSIONS: Readonly<Record<string, Format>> = {
  md: 'markdown',
  markdown: 'markdown',
  mdown: 'markdown',
  mkd: 'markdown',
  txt: 'text',
  text: 'text',
  log: 'text',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  pdf: 'pdf',
}

/** Last part of a path or a URL. */
export function fileName(source: string): string {
  return (
    source
      .replace(/[?#].*$/, '')
      .split(/[\\/]/)
      .findLast((part) => part !== '') ?? ''
  )
}

const HEAD = 1024

/** What the bytes of a file begin with. */
function formatOfHead(head: string): Format | null {
  if (head.includes('%PDF-')) return 'pdf'
  return /^(?:\ufeff|ï»¿)?\s*(?:<!--[^]*?-->\s*)?<(?:!doctype\s+html|html[\s>])/i.test(head) ? 'html' : null
}

/** The format of a document that names none: by its first bytes, then by the extension of its source. */
export function formatOf(content: string | Uint8Array, source: string): Format {
  const head = typeof content === 'string' ? content.slice(0, HEAD) : Buffer.from(content.subarray(0, HEAD)).toString('latin1')
  const told = formatOfHead(head)
  if (told && !(told === 'pdf' && typeof content === 'string')) return told
  const extension = /\.([a-z0-9]{1,9})$/i.exec(fileName(source))?.[1]?.toLowerCase() ?? ''
  const named = EXTENSIONS[extension]
  if (named && !(named === 'pdf' && typeof content === 'string')) return named
  return typeof content === 'string' ? 'markdown' : 'text'
}
