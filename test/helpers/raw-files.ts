import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

/** Files below a folder whose bytes hold a text, in UTF-8 or UTF-16, as `path: text`. */
export async function filesWith(folder: string, texts: readonly string[]): Promise<string[]> {
  const wanted = texts.flatMap((text) => [
    { text, bytes: Buffer.from(text, 'utf8') },
    { text, bytes: Buffer.from(text, 'utf16le') },
  ])
  const found: string[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const content = await readFile(path).catch(() => Buffer.alloc(0))
    for (const { text, bytes } of wanted) if (content.includes(bytes)) found.push(`${relative(folder, path)}: ${text}`)
  }
  return found
}
