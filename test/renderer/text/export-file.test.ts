import { describe, expect, it } from 'vitest'
import { parseJson } from '../../../shared/contract/json.ts'
import { EXPORT_SECTIONS } from '../../../shared/contract/ops/erasure/export.ts'
import { exportPieces, type ErasureExport } from '../../../renderer/text/export-file.ts'

const none = { rows: [], truncated: false }
const answer = (more: Partial<ErasureExport>): ErasureExport => ({
  exported_at: '2026-09-20T12:00:00.000Z',
  org: 'acme',
  scope_type: 'user_id',
  scope_value: 'u-"58"',
  requester: 'dpo@acme.example',
  counts: { memory: 0, knowledge: 0, conversations: 0, conversation_threads: 0, agent_events: 0, audit_log: 0 },
  memory: none,
  knowledge: none,
  conversations: none,
  conversation_threads: none,
  agent_events: none,
  audit_log: none,
  ...more,
})
const textOf = (made: ErasureExport): string => [...exportPieces(made)].map((piece) => piece.text).join('')

describe('an export as a file', () => {
  it('is the answer, whole, whatever is in it', () => {
    const rows = Array.from({ length: 1201 }, (_, at) => ({
      memory_key: `k/${at}`,
      value: 'ü "]},\n',
      version: BigInt('18446744073709551615'),
    }))
    const made = answer({ memory: { rows, truncated: true }, audit_log: { rows: [{ at: 'x' }], truncated: false } })
    expect(parseJson(textOf(made))).toEqual(made)
  })

  it('has every section, empty ones too', () => {
    expect(JSON.parse(textOf(answer({})))).toEqual(answer({}))
  })

  it('comes in pieces of bounded size that say how far it is', () => {
    const rows = Array.from({ length: 1100 }, (_, at) => ({ at }))
    const pieces = [...exportPieces(answer({ conversations: { rows, truncated: false } }))].filter((piece) => piece.of > 0)
    expect(pieces.map(({ section, rows: done, of }) => [section, done, of])).toEqual([
      ['conversations', 500, 1100],
      ['conversations', 1000, 1100],
      ['conversations', 1100, 1100],
      ['conversations', 1100, 1100],
    ])
    expect(new Set([...exportPieces(answer({}))].map((piece) => piece.section))).toEqual(new Set(EXPORT_SECTIONS))
  })
})
