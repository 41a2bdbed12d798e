import { readFile } from 'node:fs/promises'
import { extname, join, resolve, sep } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

/** Nothing from elsewhere, nothing written into the page, and no page of another site around ours. Components set styles through the document's model, which needs no leave. */
const CSP = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

async function readInside(root: string, path: string): Promise<Buffer | null> {
  const file = resolve(join(root, path))
  if (!file.startsWith(root + sep) || path.includes('\0')) return null
  try {
    return await readFile(file)
  } catch {
    return null
  }
}

/**
 * The built interface: a file of the folder, else its index page where a browser asks for a page (the interface
 * routes by path). Null for anything else.
 * @param path path of the request, still encoded, with its leading slash.
 * @param wantsPage whether the request may be answered with the index page.
 */
export async function staticAnswer(folder: string, path: string, wantsPage = true): Promise<Response | null> {
  const root = resolve(folder)
  const asked = path === '/' ? '/index.html' : decoded(path)
  const file = asked === null ? null : await readInside(root, asked)
  const page = file === null && wantsPage ? await readInside(root, '/index.html') : null
  const bytes = file ?? (page && fromRoot(page))
  if (bytes === null) return null
  return new Response(new Uint8Array(bytes), {
    headers: {
      'content-type': (file === null ? TYPES['.html'] : TYPES[extname(asked ?? '')]) ?? 'application/octet-stream',
      // Names under assets/ carry a hash of their content.
      'cache-control': file !== null && path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      'content-security-policy': CSP,
      'referrer-policy': 'no-referrer',
    },
  })
}

/** The index page for any address: what it loads lies at the root, however deep the address is. */
function fromRoot(page: Buffer): Buffer {
  return Buffer.from(page.toString('utf8').replaceAll(/\b(src|href)="\.\//g, '$1="/'))
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path)
  } catch {
    return null
  }
}
