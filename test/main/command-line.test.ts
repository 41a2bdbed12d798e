import { expect, test } from 'vitest'
import { commandWords } from '../../main/command-line.ts'

test('the installed app is the command line when its first word says so, behind any switch of Chromium', () => {
  expect(commandWords(['/opt/Loom/loom', 'cli', 'memory.search', '--query', 'x'], true)).toEqual(['memory.search', '--query', 'x'])
  expect(commandWords(['loom', '--no-sandbox', 'cli', 'mcp'], true)).toEqual(['mcp'])
  for (const words of [[], ['--no-sandbox'], ['memory.search', 'cli'], ['loom://pair?x']])
    expect(commandWords(['loom', ...words], true)).toBeNull()
  expect(commandWords(['electron', 'cli', 'mcp'], false)).toBeNull()
})
