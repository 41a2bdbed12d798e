/** Of its own: the page is read without Loom, and loads nothing. */
const STYLE = `body{font:14px/1.5 system-ui,sans-serif;color:#1d1b18;background:#fff;margin:40px auto;max-width:720px;padding:0 24px}
h1{font-size:22px;font-weight:500;margin:4px 0}dl{display:grid;grid-template-columns:130px 1fr;gap:4px 12px}dl>div{display:contents}
dt{color:#6b655b}dd{margin:0;overflow-wrap:anywhere}table{width:100%;border-collapse:collapse;margin:18px 0;font-size:13px}
th,td{text-align:start;padding:4px 8px 4px 0;border-bottom:1px solid #e6e2da}.r{text-align:end}.mono,code{font-family:ui-monospace,monospace}
.note{background:#fbefd9;color:#8a5200;padding:8px 12px;border-radius:6px}`

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** A receipt as it stands in the window, as a page by itself. What is in it is text already. */
export function receiptPage(receipt: HTMLElement, title: string): string {
  const { lang } = document.documentElement
  return `<!doctype html>\n<html lang="${lang || 'en'}"><head><meta charset="utf-8"><title>${escaped(title)}</title><style>${STYLE}</style></head>
<body>${receipt.outerHTML}</body></html>\n`
}
