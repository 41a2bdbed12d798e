import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { REGISTRY, type OpName } from '../../shared/contract/registry.ts'
import { CONTRACT_VERSION } from '../../shared/contract/version.ts'
import { HANDLERS } from '../../shared/engine/ops/handlers.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Hash of every schema of the contract, by its version. When it moves: raise CONTRACT_VERSION, and add a line here. */
const HISTORY: Record<number, string> = {
  1: '89c182e479975f05',
}

async function opsIn(folder: string): Promise<string[]> {
  const files = await readdir(join(ROOT, folder), { recursive: true })
  return files
    .filter((file) => file.endsWith('.ts') && file !== 'handlers.ts')
    .map((file) => file.replace(/\.ts$/, '').replaceAll('/', '.'))
    .sort()
}

describe('the registries', () => {
  it('list what the folders hold, under the name of the file', async () => {
    const names = Object.keys(REGISTRY)
    expect(await opsIn('shared/contract/ops')).toEqual([...names].sort())
    expect(await opsIn('shared/engine/ops')).toEqual([...names].sort())
    expect(names).toEqual([...names].sort())
    for (const [name, contract] of Object.entries(REGISTRY)) expect(contract.name).toBe(name)
    for (const [name, handler] of Object.entries(HANDLERS)) expect(handler.contract).toBe(REGISTRY[name as OpName])
  })

  it('give handlers the kind that their contract has', () => {
    for (const handler of Object.values(HANDLERS)) expect(handler.kind).toBe(handler.contract.kind)
  })

  it('do not move without a new version of the contract', () => {
    const schemas = Object.values(REGISTRY).map((contract) => ({
      name: contract.name,
      input: z.toJSONSchema(contract.input, { io: 'input', unrepresentable: 'any' }),
      output: z.toJSONSchema(contract.output, { io: 'output', unrepresentable: 'any' }),
    }))
    const hash = createHash('sha256').update(JSON.stringify(schemas)).digest('hex').slice(0, 16)
    expect(HISTORY[CONTRACT_VERSION]).toBe(hash)
  })
})
