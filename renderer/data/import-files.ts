import type { ImportFile } from '../../shared/client/importing/run-import.ts'

/** Files that a person picked or dropped, as an import reads them: a piece at a time. */

async function* piecesOf(file: File): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

const importFile = (file: File, path: string): ImportFile => ({ path, size: file.size, open: () => piecesOf(file) })

/** Of an input; a folder's files have their path inside it. */
export function pickedFiles(files: FileList): ImportFile[] {
  return [...files].map((file) => importFile(file, file.webkitRelativePath || file.name)).sort(byPath)
}

const byPath = (a: ImportFile, b: ImportFile): number => (a.path < b.path ? -1 : 1)

/** A drop lists at most a hundred entries of a folder at once. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return all
    all.push(...some)
  }
}

/** Deeper folders are no notes. */
const DEEPEST = 64

async function filesOf(entry: FileSystemEntry, depth: number): Promise<ImportFile[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
    return [importFile(file, entry.fullPath.replace(/^\//, ''))]
  }
  if (!entry.isDirectory || depth >= DEEPEST) return []
  const inside: ImportFile[] = []
  for (const one of await entriesOf(entry as FileSystemDirectoryEntry)) inside.push(...(await filesOf(one, depth + 1)))
  return inside
}

/** Of a drop: files, and whole folders. */
export async function droppedFiles(items: DataTransferItemList): Promise<ImportFile[]> {
  // They are there only while the drop is being told. What is no entry of a folder may be a file all the same.
  const told = [...items].map((item) => ({ entry: item.webkitGetAsEntry(), file: item.kind === 'file' ? item.getAsFile() : null }))
  const files: ImportFile[] = []
  for (const { entry, file } of told) {
    if (entry) files.push(...(await filesOf(entry, 0)))
    else if (file) files.push(importFile(file, file.name))
  }
  return files.sort(byPath)
}
