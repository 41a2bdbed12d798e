import { describe, expect, test } from 'vitest'
import type { OpContract } from '../../shared/contract/declare.ts'
import { ERROR_TABLE } from '../../shared/contract/errors.ts'
import { stringifyJson } from '../../shared/contract/json.ts'
import { openApiDocument } from '../../shared/contract/openapi.ts'
import { REGISTRY } from '../../shared/contract/registry.ts'
import { withBigints } from '../../shared/contract/u64.ts'

interface Operation {
  readonly requestBody: { readonly content: { readonly 'application/json': { readonly schema: Record<string, unknown> } } }
  readonly responses: Record<string, unknown>
  readonly security?: unknown
  readonly parameters?: readonly { readonly name: string }[]
}
interface Document {
  readonly paths: Record<string, { readonly post?: Operation; readonly get?: Operation }>
  readonly security?: unknown
  readonly components: { readonly responses: Record<string, unknown> }
}

const ops = Object.values<OpContract>(REGISTRY)
const single = openApiDocument('single') as unknown as Document
const server = openApiDocument('multi', 'server') as unknown as Document

describe('the OpenAPI document', () => {
  test('has a path, an Idempotency-Key on writes, and every error status of each operation', () => {
    for (const op of ops) {
      const operation = (op.host === 'server' ? server : single).paths[`/v1/${op.name}`]?.post
      expect(operation?.parameters?.some(({ name }) => name === 'Idempotency-Key') ?? false, op.name).toBe(op.kind === 'write')
      for (const code of [...op.errors, 'INVALID_ARGUMENT', 'INTERNAL'] as const) {
        expect(operation?.responses, op.name).toHaveProperty(String(ERROR_TABLE[code].status))
      }
    }
  })

  test('asks for a token in multi-user mode only', () => {
    expect(single.security).toBeUndefined()
    expect(server.security).toEqual([{ token: [] }])
    expect(server.paths['/v1/pair.redeem']?.post?.security).toEqual([])
  })

  test('describes what the host answers by itself', () => {
    const paths = (mode: 'single' | 'multi', host: 'desktop' | 'server') => Object.keys(openApiDocument(mode, host)['paths'] as object)
    expect(paths('single', 'desktop')).not.toContain('/v1/token.mint')
    expect(paths('multi', 'desktop')).toContain('/v1/token.mint')
    expect(paths('multi', 'desktop')).not.toContain('/v1/pair.redeem')
    expect(paths('multi', 'server')).toContain('/v1/pair.redeem')
  })

  test('describes the answer as events where an operation tells of its progress, and nowhere else', () => {
    type Contents = Record<string, Record<string, unknown>>
    const answers = (name: string): Contents => {
      const answer = single.paths[`/v1/${name}`]?.post?.responses['200'] as { content: Contents } | undefined
      return answer?.content ?? {}
    }
    const told = ops.filter((op) => 'text/event-stream' in answers(op.name)).map((op) => op.name)
    expect(told).toEqual(['backup.create', 'memory.ask'])
    const { 'text/event-stream': events, 'application/json': whole } = answers('memory.ask')
    expect(events?.['schema']).toMatchObject({ type: 'string', description: expect.stringContaining('`answer`') })
    expect(events?.['x-loom-events']).toMatchObject({
      progress: { properties: { kind: { enum: ['evidence', 'sentence', 'restart'] }, supported: {}, citations: {} } },
      answer: whole?.['schema'],
      error: { $ref: '#/components/schemas/Error' },
    })
  })

  test('holds no reference into nothing, and no pattern that only JavaScript reads', () => {
    for (const document of [single, server]) {
      const text = stringifyJson(document)
      for (const [, name = ''] of text.matchAll(/"\$ref":"#\/components\/responses\/([^"]+)"/g))
        expect(document.components.responses).toHaveProperty([name])
      expect(text).not.toMatch(/\\\\p\{|\\\\d/)
    }
  })
})

describe('answers read from JSON', () => {
  test('have bigint where the contract has 64-bit integers, also small ones and deep ones', () => {
    expect(withBigints('memory.delete', { found: false, version: 0 })).toEqual({ found: false, version: 0n })
    expect(withBigints('memory.history', { rows: [{ version: 1, op: 'set' }] })).toEqual({ rows: [{ version: 1n, op: 'set' }] })
    expect(withBigints('memory.get', { found: false })).toEqual({ found: false })
    expect(withBigints('engine.info', { counts: { memories: 1 } })).toEqual({ counts: { memories: 1 } })
  })
})
