import { fileURLToPath } from 'node:url'
import { builtFile } from '../shared/engine/host/app-paths.ts'

/** The first word after the program that makes the installed app the command `loom`: `Loom cli memory.search …`. */
const WORD = 'cli'

/**
 * Words for the command line, where the installed app was started as that: it runs no script of others (runAsNode is off),
 * and so it has to be the command itself. Null: the window is wanted. Chromium's own switches may stand before the word.
 */
export function commandWords(argv: readonly string[], isPackaged: boolean): readonly string[] | null {
  if (!isPackaged) return null
  const words = argv.slice(1)
  const at = words.findIndex((word) => !word.startsWith('-'))
  return words[at] === WORD ? words.slice(at + 1) : null
}

/**
 * Runs the command line in this process and ends it, before Electron is ready: so it needs no display. Whatever else was
 * loaded with Electron's own start goes with the process.
 */
export async function runCommandLine(words: readonly string[]): Promise<never> {
  const file = builtFile('cli.js')
  process.argv = [process.execPath, fileURLToPath(file), ...words]
  await import(file.href)
  for (const stream of [process.stdout, process.stderr]) await new Promise<void>((resolve) => void stream.write('', () => resolve()))
  // oxlint-disable-next-line unicorn/no-process-exit -- Electron would go on to open its window
  process.exit(process.exitCode ?? 0)
}
