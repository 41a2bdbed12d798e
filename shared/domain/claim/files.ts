/** A repository path in running text: folders and a name with an extension, or a well-known file in a folder. */
const PATH = /(?<![\w@:/.-])(?:\.{0,2}\/)?(?:[\w@.-]{1,64}\/){1,16}[\w@-][\w@.-]{0,63}\.[A-Za-z][A-Za-z0-9]{0,9}(?![\w/])/g
const MOST_FILES = 32
const SCANNED = 20_000

/** Repository files that a claim names (TAG007, TAG009): at most 32, in order, each once. URLs are no files. */
export function detectFiles(text: string): string[] {
  const found = new Set<string>()
  for (const match of text.slice(0, SCANNED).matchAll(PATH)) {
    found.add(match[0].replace(/^\.\//, ''))
    if (found.size === MOST_FILES) break
  }
  return [...found]
}
