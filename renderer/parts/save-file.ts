/** Hands a file to the browser, which asks where to put it or puts it where downloads go. What is large it keeps on disk. */
export function saveFile(parts: readonly BlobPart[], name: string, type: string): void {
  const address = URL.createObjectURL(new Blob([...parts], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The download holds the data from here on.
  setTimeout(() => URL.revokeObjectURL(address), 0)
}

/** A part of a file's name, without what a file system may refuse. */
export const filePart = (text: string): string =>
  text
    .replaceAll(/[^\p{L}\p{N}._@-]+/gu, '-')
    .slice(0, 80)
    .replaceAll(/^[-.]+|[-.]+$/g, '') || 'loom'
