import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { completionScript } from '../../../main/cli/completion.ts'
import { explain, overview } from '../../../main/cli/help.ts'
import { contractOf, REGISTRY } from '../../../shared/contract/registry.ts'
import { needs } from '../../helpers/requirements.ts'

const shellCalled = (name: string) => ({ available: spawnSync(name, ['-c', 'true']).status === 0, reason: `no ${name} on PATH` })

/** What bash would offer for the words typed so far, the last one unfinished. */
function offered(...words: string[]): string[] {
  const set = `COMP_WORDS=(loom ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _loom; printf '%s\\n' "\${COMPREPLY[@]}"`
  const run = spawnSync('bash', ['-c', `${completionScript('bash')}\n${set}`], { encoding: 'utf8' })
  expect(run.stderr).toBe('')
  return run.stdout.split('\n').filter(Boolean)
}

describe('completions in bash', needs(shellCalled('bash')), () => {
  test('offer every operation of the registry and every command', () => {
    expect(offered('')).toEqual(
      expect.arrayContaining([...Object.keys(REGISTRY), 'mcp', 'server', 'sync', 'import', 'export', 'knowledge', 'completion', 'help']),
    )
    expect(offered('memory.tou')).toEqual(['memory.touch'])
  })
  test('offer the fields of an operation', () => {
    expect(offered('memory.search', '--top')).toEqual(['--top_k'])
    expect(offered('memory.set', '--')).toEqual(expect.arrayContaining(['--memory_key', '--value', '--json']))
  })
  test('offer the values of a closed set', () => {
    expect(offered('memory.search', '--search_mode', '')).toEqual(['hybrid', 'lexical', 'vector'])
    expect(offered('completion', 'z')).toEqual(['zsh'])
    expect(offered('help', 'namespace.l')).toEqual(['namespace.list'])
  })
})

describe.each(['zsh', 'fish'])('completions in %s', (shell) => {
  test('name every operation and every one of its fields', () => {
    const script = completionScript(shell)
    for (const [name, op] of Object.entries(REGISTRY)) {
      expect(script).toContain(name)
      for (const field of Object.keys(op.input.shape)) expect(script).toMatch(new RegExp(`(?:--|-l )${field}\\b`))
    }
  })
  test('are a script that the shell reads', needs(shellCalled(shell)), () => {
    expect(spawnSync(shell, ['-n'], { input: completionScript(shell), encoding: 'utf8' }).stderr).toBe('')
  })
})

test('a shell that is not known is a usage error', () => {
  expect(() => completionScript('fishy')).toThrow(/Did you mean fish/)
  expect(() => completionScript(undefined)).toThrow(/bash, zsh, fish/)
})

describe('help', () => {
  test('lists every operation with its summary', () => {
    for (const op of Object.values(REGISTRY)) expect(overview()).toContain(op.summary)
  })
  test('explains every field, and gives an example that can be typed', () => {
    const text = explain(contractOf('memory.set'))
    for (const field of Object.keys(REGISTRY['memory.set'].input.shape)) expect(text).toContain(`--${field}`)
    expect(text).toContain("--value 'Production deploys run Tuesday and Thursday only; never Friday.'")
    expect(text).toContain('semantic|episodic|profile|procedural')
    expect(text).toContain('Needs the role writer; writes.')
  })
})
