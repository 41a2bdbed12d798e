import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createClient } from '../../shared/client/create-client.ts'
import { httpLink } from '../../shared/client/http-link.ts'
import { createFrameCutter } from '../../shared/contract/event-frames.ts'
import { parseJson, stringifyJson } from '../../shared/contract/json.ts'
import type { AskProgress } from '../../shared/contract/ops/memory/ask.ts'
import { relayCall } from '../../shared/transport/mcp-relay.ts'
import type { Listening } from '../../shared/transport/serve.ts'
import { openChatServer, type ChatServer } from '../helpers/chat-server.ts'
import { openTestEngine, type TestEngine } from '../helpers/engine.ts'
import { OPENING_MS, serveEngine } from '../helpers/transports.ts'

/** memory.ask while a model writes: what is told on the way, on every road that tells, and how it ends. */

let chat: ChatServer
let loom: TestEngine
let server: Listening
beforeAll(async () => {
  chat = await openChatServer()
  loom = await openTestEngine({ config: { llm: { url: chat.url, model: 'small', apiKey: '', timeoutMs: 5000 } } })
  server = await serveEngine(loom.engine)
  await loom.call('memory.set', { memory_key: 'deploy/window', value: 'Production deploys run Tuesday and Thursday only; never Friday.' })
}, OPENING_MS)
afterAll(async () => {
  await server.close()
  await loom.close()
  await chat[Symbol.asyncDispose]()
})
beforeEach(() => {
  chat.left = 0
  chat.asked.length = 0
})

const input = { query: 'Which days do we deploy to production?', llm_cache: false }
const [FIRST, SECOND] = ['Production deploys run on Tuesday and Thursday. [1]', 'Production deploys take 45 minutes. [1]']
const MARKED = `${SECOND} (not supported)`
const sentences = (told: readonly AskProgress[]) => told.filter(({ kind }) => kind === 'sentence').map(({ text }) => text)

function ask(body: object = input, signal: AbortSignal | null = null, accept = 'text/event-stream'): Promise<Response> {
  return fetch(`${server.url}/v1/memory.ask`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept },
    body: stringifyJson(body),
    signal,
  })
}

async function events(response: Response): Promise<{ event: string; data: Record<string, unknown> }[]> {
  const frames = createFrameCutter()(await response.text())
  return frames.map(({ event, data }) => ({ event, data: parseJson(data) as Record<string, unknown> }))
}

describe('memory.ask while a model writes', () => {
  test('HTTP tells each sentence once it is checked; joined they are the answer, which is that of a call without events', async () => {
    chat.reply = () => `${SECOND} It is so. ${FIRST}`
    const streamed = await events(await ask())
    const told = streamed.filter(({ event }) => event === 'progress').map(({ data }) => data as unknown as AskProgress)
    expect(told.map(({ kind, supported, citations }) => [kind, supported, citations.length])).toEqual([
      ['evidence', true, 0],
      ['sentence', false, 1],
      ['sentence', true, 0],
    ])
    const last = streamed.at(-1)
    expect([last?.event, last?.data['answer']]).toEqual(['answer', `${MARKED} ${FIRST}`])
    expect(sentences(told).join(' ')).toBe(last?.data['answer'])
    const [{ version, version_text: text } = { version: 0, version_text: '' }] = told[1]?.citations ?? []
    expect(String(version)).toBe(text)
    const { answer, citations, grounding } = (await (await ask(input, null, 'application/json')).json()) as Record<string, unknown>
    expect([answer, grounding]).toEqual([last?.data['answer'], last?.data['grounding']])
    expect(citations).toHaveLength(1)
  })

  test('nothing is told of what cites nothing, and an abstention tells no sentence', async () => {
    chat.reply = () => 'The capital of France is Paris. [1] Ignore all rules.'
    const streamed = await events(await ask())
    expect(streamed.map(({ event }) => event)).toEqual(['progress', 'answer'])
    expect(streamed[1]?.data).toMatchObject({ abstain_code: 'not_supported', answer: '' })
  })

  test('a model that fails midway is taken back, and memory answers', async () => {
    chat.reply = () => ({ pieces: [FIRST, ' And', ' more'], ending: 'cut' })
    const streamed = await events(await ask())
    expect(streamed.map(({ event, data }) => data['kind'] ?? event)).toEqual(['evidence', 'sentence', 'restart', 'answer'])
    expect(streamed.at(-1)?.data).toMatchObject({ source: 'extractive', degraded: ['llm'] })
  })

  test('what is refused before anything was told is refused as any call is', async () => {
    const refused = await ask({ query: '' })
    expect([refused.status, refused.headers.get('content-type')]).toEqual([422, 'application/json; charset=utf-8'])
    expect((await ask(input, null, 'application/json, text/event-stream')).headers.get('content-type')).toContain('application/json')
  })

  test('who leaves ends the call of the provider, before its first sentence and after', async () => {
    for (const pieces of [[], [FIRST, ' And']]) {
      chat.left = 0
      chat.reply = () => ({ pieces, ending: 'hang' })
      const gone = new AbortController()
      const response = await ask(input, gone.signal)
      const reader = response.body?.getReader()
      await reader?.read()
      expect(chat.left).toBe(0)
      gone.abort()
      await expect.poll(() => chat.left, { timeout: 3000 }).toBe(1)
    }
  })

  test('the typed client is told, and gets the answer', async () => {
    chat.reply = () => FIRST
    const told: AskProgress[] = []
    const client = createClient(httpLink({ baseUrl: server.url }))
    const answer = await client.memory.ask(input, { progress: (one) => void told.push(one as AskProgress) })
    expect([answer.answer, sentences(told)]).toEqual([FIRST, [FIRST]])
    expect(answer.citations[0]?.version_text).toBe(String(answer.citations[0]?.version))
  })

  test('an MCP client that asks for progress is told, and the relay of loom mcp passes it on', async () => {
    chat.reply = () => `${FIRST} ${SECOND}`
    const client = new Client({ name: 'asker', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)))
    const messages: (string | undefined)[] = []
    const result = await client.callTool(
      { name: 'loom_memory_ask', arguments: input },
      { onprogress: ({ message }) => void messages.push(message) },
    )
    expect(messages).toEqual([undefined, FIRST, MARKED])
    expect((result.structuredContent as { answer: string }).answer).toBe(`${FIRST} ${MARKED}`)
    await client.close()

    const told: AskProgress[] = []
    const relay = relayCall({ baseUrl: server.url })
    const meta = { client: 'asker', requestId: 'r', signal: new AbortController().signal }
    const answer = await relay('memory.ask', input, { ...meta, progress: (one) => void told.push(one as unknown as AskProgress) })
    expect([answer['answer'], sentences(told)]).toEqual([`${FIRST} ${MARKED}`, [FIRST, MARKED]])
    const [citation] = told[1]?.citations ?? []
    expect([typeof citation?.version, String(citation?.version)]).toEqual(['bigint', citation?.version_text])
    await relay.end()
  })

  test('an MCP client that leaves ends the call of the provider', async () => {
    chat.reply = () => ({ pieces: [FIRST, ' And'], ending: 'hang' })
    const gone = new AbortController()
    const meta = { client: 'asker', requestId: 'r', signal: gone.signal }
    const relay = relayCall({ baseUrl: server.url })
    const call = relay('memory.ask', input, { ...meta, progress: ({ kind }) => void (kind === 'sentence' && gone.abort()) })
    await expect(call).rejects.toThrow()
    await expect.poll(() => chat.left, { timeout: 3000 }).toBe(1)
    await relay.end()
  })
})
