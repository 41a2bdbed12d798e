import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

const up = '../../shared'
/** A file of a layer, a line of it, and the rule that must refuse the line, or null where it is fine. */
const lines: readonly (readonly [file: string, line: string, rule: string | null])[] = [
  // The arrows of DESIGN.md, and those against them.
  ...['engine', 'transport', 'client'].flatMap((layer) => [
    arrow('shared/contract/probe.ts', `../${layer}/x.ts`, false),
    arrow('shared/domain/judge/probe.ts', `../../${layer}/x.ts`, false),
  ]),
  ...['main', 'renderer', 'sync-server'].flatMap((layer) => [
    arrow('shared/contract/ops/memory/probe.ts', `../../../../${layer}/x.ts`, false),
    arrow('shared/domain/probe.ts', `../../${layer}/x.ts`, false),
    arrow('shared/engine/store/probe.ts', `../../../${layer}/x.ts`, false),
    arrow('shared/transport/probe.ts', `../../${layer}/x.ts`, false),
    arrow('shared/client/probe.ts', `../../${layer}/x.ts`, false),
  ]),
  arrow('shared/engine/ops/memory/probe.ts', '../../../transport/x.ts', false),
  arrow('shared/engine/probe.ts', '../client/x.ts', false),
  arrow('shared/transport/probe.ts', '../client/x.ts', false),
  arrow('shared/client/probe.ts', '../engine/x.ts', false),
  arrow('shared/client/probe.ts', '../transport/x.ts', false),
  arrow('renderer/views/probe.tsx', `../${up}/engine/x.ts`, false),
  arrow('renderer/probe.tsx', '../shared/transport/x.ts', false),
  arrow('renderer/probe.tsx', '../main/x.ts', false),
  arrow('renderer/probe.tsx', '../sync-server/x.ts', false),
  arrow('main/probe.ts', '../sync-server/x.ts', false),
  arrow('main/probe.ts', '../renderer/x.ts', false),
  arrow('main/cli/probe.ts', '../../sync-server/x.ts', false),
  arrow('sync-server/probe.ts', '../main/x.ts', false),
  arrow('sync-server/probe.ts', '../renderer/x.ts', false),
  arrow('sync-server/probe.ts', '../shared/client/x.ts', false),
  ...['contract', 'domain'].flatMap((layer) => [
    arrow('shared/engine/ops/memory/probe.ts', `../../../${layer}/x.ts`, true),
    arrow('renderer/views/probe.tsx', `../${up}/${layer}/x.ts`, true),
    arrow('shared/client/probe.ts', `../${layer}/x.ts`, true),
  ]),
  arrow('shared/contract/probe.ts', './ops/engine/info.ts', true),
  arrow('shared/transport/probe.ts', '../engine/x.ts', true),
  arrow('renderer/probe.tsx', '../shared/client/x.ts', true),
  arrow('main/probe.ts', '../shared/engine/x.ts', true),
  arrow('sync-server/probe.ts', '../shared/transport/x.ts', true),
  typeArrow('renderer/probe.tsx', '../shared/engine/x.ts', true),
  typeArrow('shared/client/probe.ts', '../engine/x.ts', true),
  typeArrow('shared/engine/probe.ts', '../transport/x.ts', false),
  // Packages and the outside world.
  arrow('shared/domain/probe.ts', 'node:fs', false),
  arrow('shared/contract/probe.ts', 'kysely', false),
  arrow('shared/client/probe.ts', 'node:fs', false),
  arrow('shared/engine/probe.ts', 'electron', false),
  arrow('shared/transport/probe.ts', 'electron', false),
  arrow('renderer/probe.tsx', 'electron', false),
  arrow('renderer/probe.tsx', 'node:fs', false),
  arrow('sync-server/probe.ts', 'electron', false),
  arrow('main/host.ts', 'electron', false),
  arrow('main/headless.ts', 'electron', false),
  arrow('main/cli/probe.ts', 'electron', false),
  arrow('main/index.ts', 'electron', true),
  ['shared/domain/probe.ts', 'export const at = Date.now()', 'no-restricted-properties'],
  ['shared/domain/probe.ts', 'export const at = Math.random()', 'no-restricted-properties'],
  ['shared/domain/probe.ts', 'export const at = performance.now()', 'no-restricted-globals'],
  ['shared/engine/probe.ts', 'export const home = process.env.HOME', 'no-process-env'],
  ['main/host.ts', 'export const home = process.env.HOME', 'no-process-env'],
  ['main/config.ts', 'export const home = process.env.HOME', null],
  ['sync-server/config.ts', 'export const home = process.env.HOME', null],
  ['shared/engine/probe.ts', "console.log('x')", 'no-console'],
  ['main/cli/probe.ts', "console.log('x')", null],
  ['shared/engine/probe.ts', 'export default 1', 'no-default-export'],
  ['shared/engine/probe.ts', 'export const x = 1\n' + '//\n'.repeat(300), 'max-lines'],
  ['shared/engine/ops/memory/probe.ts', 'export const x = 1\n' + '//\n'.repeat(120), 'max-lines'],
]

function arrow(file: string, to: string, allowed: boolean): readonly [string, string, string | null] {
  return [file, `import { x } from '${to}'\nexport const y = x`, allowed ? null : 'no-restricted-imports']
}

function typeArrow(file: string, to: string, allowed: boolean): readonly [string, string, string | null] {
  return [file, `import type { x } from '${to}'\nexport type Y = x`, allowed ? null : 'no-restricted-imports']
}

describe('the linter', () => {
  let folder = ''
  const found = new Map<string, Set<string>>()
  // Two probes may be the same file of a layer, and what they say must not mix: each stands in a tree of its own.
  const place = (index: number, file: string): string => `case-${index}/${file}`

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'loom-boundaries-'))
    lines.forEach(([file, line], index) => {
      const path = join(folder, place(index, file))
      mkdirSync(dirname(path), { recursive: true })
      copyFileSync(join(root, '.oxlintrc.json'), join(folder, `case-${index}/.oxlintrc.json`))
      writeFileSync(path, `${line}\n`)
    })
    for (const { filename, code } of lint(folder)) found.set(filename, (found.get(filename) ?? new Set()).add(code))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test.each(lines.map((line, index) => [...line, index] as const))('%s: %s -> %s', (file, _line, rule, index) => {
    const codes = [...(found.get(place(index, file)) ?? [])]
    const ours = ['no-restricted-imports', 'no-restricted-properties', 'no-restricted-globals', 'no-process-env', 'no-console']
    if (rule === null) expect(codes.filter((code) => ours.some((one) => code.includes(`(${one})`)))).toEqual([])
    else expect(codes.join()).toContain(`(${rule})`)
  })
})

/** Lints a folder whose trees each have the project's configuration. */
function lint(folder: string): readonly { filename: string; code: string }[] {
  const program = join(root, 'node_modules/.bin/oxlint')
  let output: string
  try {
    output = execFileSync(program, ['-f', 'json', '.'], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch (error) {
    output = (error as { stdout: string }).stdout
  }
  return (JSON.parse(output) as { diagnostics: { filename: string; code: string }[] }).diagnostics
}
