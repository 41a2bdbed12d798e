import { expect, test } from 'vitest'
import { matchFile } from '../../../shared/domain/claim/file-match.ts'

test.each([
  ['src/a.ts', ['src/a.ts'], 'exact'],
  ['./src/a.ts', ['src\\a.ts'], 'exact'],
  ['src/a.ts', ['a.ts'], 'suffix'],
  ['a.ts', ['src/a.ts'], 'suffix'],
  ['src/lib/a.ts', ['src/'], 'directory'],
  ['src/a.ts', ['src/A.ts'], null],
  ['src/ba.ts', ['a.ts'], null],
  ['src', ['src/'], null],
  ['src/a.ts', [], null],
] as const)('%s against %j is %s', (path, stored, match) => expect(matchFile(path, stored)).toBe(match))
