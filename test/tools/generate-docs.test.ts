import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SETTINGS as DESKTOP } from '../../main/config.ts'
import { SETTINGS as SERVER } from '../../sync-server/config.ts'
import { REGISTRY } from '../../shared/contract/registry.ts'
import type { OpContract } from '../../shared/contract/declare.ts'
import { ERROR_TABLE } from '../../shared/contract/errors.ts'
import { generatedDocs } from './generated-docs.ts'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test.each(generatedDocs())('$path is what `npm run docs` writes', ({ path, text }) => {
  expect(read(path)).toBe(text)
})

test('[API010] the operations reference gives role, kind, toolset and listing of every operation', () => {
  const page = read('docs/operations.md')
  for (const op of Object.values<OpContract>(REGISTRY)) {
    const row = page.split('\n').find((line) => line.startsWith(`| [${op.name}](`)) ?? ''
    const yes = (is: boolean): string => (is ? 'yes' : 'no')
    const cells = [op.role, op.kind, yes(op.idempotent), yes(op.audited), op.toolset, yes(op.toolset === 'core' || op.toolset === 'all')]
    expect(
      row
        .split('|')
        .slice(2, 8)
        .map((cell) => cell.trim()),
    ).toEqual(cells)
  }
})

test('[API016] the error reference lists each code with its status', () => {
  const page = read('docs/errors.md')
  for (const [code, { status }] of Object.entries(ERROR_TABLE)) expect(page).toContain(`| ${status} | ${code} |`)
})

/** Rows of docs/settings.md by name: section and default. */
function settingRows(): Map<string, { section: string; byDefault: string }> {
  const found = new Map<string, { section: string; byDefault: string }>()
  let section = ''
  for (const line of read('docs/settings.md').split('\n')) {
    if (line.startsWith('## ')) section = line.slice(3)
    const [, name = '', byDefault = ''] = /^\| `([^`]+)` \| ([^|]*) \|/.exec(line) ?? []
    if (name !== '') found.set(name, { section, byDefault })
  }
  return found
}

test('[CFG027, CFG029, CFG030] the settings reference lists every setting of the code with its default, webhooks and conflicts apart', () => {
  const rows = settingRows()
  for (const setting of [...Object.values(DESKTOP), ...Object.values(SERVER)]) {
    const row = rows.get(setting.name)
    expect([setting.name, row?.byDefault]).toEqual([setting.name, expect.any(String)])
    const shown = Array.isArray(setting.default) ? setting.default.join(',') : String(setting.default)
    expect([setting.name, row?.byDefault]).toEqual([setting.name, expect.stringContaining(shown || 'none')])
    expect([setting.name, row?.section === 'Change webhooks']).toEqual([setting.name, setting.name.startsWith('LOOM_MEMORY_WEBHOOK_')])
  }
  const conflicts = [...rows].filter(([, { section }]) => section === 'Conflicts and duplicates').map(([name]) => name)
  expect(conflicts).toEqual([
    'LOOM_BULK_CONFLICT_CHECK_MAX_ENTRIES',
    'LOOM_MEMORY_QUARANTINE_NEGATIVES',
    'LOOM_MEMORY_VERDICT_MIN_CONFIDENCE',
  ])
  expect(rows.get('LOOM_ERASURE_MAX_ATTEMPTS')?.byDefault).toBe('5')
  expect(rows.get('LOOM_ERASURE_EXPORT_CONVERSATION_MAX_BYTES')?.byDefault).toBe('8388608')
})
