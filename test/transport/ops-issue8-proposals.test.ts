import { expect } from 'vitest'
import { onEveryTransport, type OpCall } from '../helpers/transports.ts'

/** Facts on trial, and what a language model would extract: the main promise of each, the same on every road. */

const key = { memory_key: 'gate/hours' } as const
const propose = (call: OpCall) => call('memory.set', { ...key, value: 'The gate opens at seven.', proposed: true })

onEveryTransport('memory.proposals', 'lists what is on trial, which other reads leave out', async (call) => {
  const { version, status } = await propose(call)
  expect(status).toBe('proposed')
  const { proposals, total } = await call('memory.proposals', {})
  expect([total, proposals[0]?.row.version, proposals[0]?.decidable]).toEqual([1, version, true])
  expect(await call('memory.get', key)).toMatchObject({ found: false, reason: 'proposed' })
  await expect(call('memory.pin', { ...key, value: 'The gate opens at seven.' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
})

onEveryTransport('memory.proposal_decide', 'accepts it, to the last digit of its version', async (call) => {
  const { version } = await propose(call)
  const decided = await call('memory.proposal_decide', { ...key, decision: 'accept' })
  expect(decided).toMatchObject({ found: true, decided: true, status: 'active', reason: '' })
  expect(decided.version > version).toBe(true)
  expect(decided.version_text).toBe(decided.version.toString())
  expect(await call('memory.get', key)).toMatchObject({ found: true, version: decided.version })
  expect(await call('memory.proposal_decide', { ...key, decision: 'reject' })).toMatchObject({ decided: false, reason: 'not_proposed' })
  await expect(propose(call)).rejects.toMatchObject({ code: 'KEY_HOLDS_FACT' })
})

onEveryTransport('memory.set_from_messages', 'with no language model stores nothing, and says what to do', async (call) => {
  const messages = [{ role: 'user' as const, content: 'The gate opens at seven.' }]
  const answer = await call('memory.set_from_messages', { messages })
  expect(answer).toMatchObject({ written: [], refused: [], degraded: ['llm'], next: 'memory.set', deferred: false })
  await expect(call('memory.set_from_messages', { messages, memory_key: 'k' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
})
