import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createChatService } from '../../../shared/engine/llm/chat-service.ts'
import { openChatServer, type ChatServer, type Reply } from '../../helpers/chat-server.ts'

let chat: ChatServer
beforeAll(async () => {
  chat = await openChatServer()
})
afterAll(() => chat[Symbol.asyncDispose]())
beforeEach(() => void chat.asked.splice(0))

const KEY = 'sk-secret-of-the-test'
const model = (more: object = {}) => createChatService({ url: chat.url, model: 'small', apiKey: KEY, timeoutMs: 2_000, ...more })
const prompt = { system: 'List facts.', user: '{"transcript":[]}', maxTokens: 512, json: true }
const ask = (more: object = {}, signal?: AbortSignal) => model(more).complete({ ...prompt, ...(signal && { signal }) })

describe('a chat service of the OpenAI protocol', () => {
  it('is asked once, with the key, the model and the limits, and answers text and tokens', async () => {
    chat.reply = () => '{"facts":[]}'
    expect(await ask()).toEqual({ text: '{"facts":[]}', tokensIn: 100, tokensOut: 10 })
    expect(chat.asked).toHaveLength(1)
    const [{ body, headers, system } = { body: {}, headers: {}, system: '' }] = chat.asked
    expect(headers.authorization).toBe(`Bearer ${KEY}`)
    expect(body).toMatchObject({ model: 'small', max_tokens: 512, temperature: 0, stream: false, response_format: { type: 'json_object' } })
    expect(system).toBe(prompt.system)
    await ask({ apiKey: '' })
    expect(chat.asked[1]?.headers.authorization).toBe(undefined)
  })

  it('knows services that take neither max_tokens nor a response format', async () => {
    chat.reply = ({ body }) => ('response_format' in body || 'max_tokens' in body ? { status: 400 } : 'plain')
    expect((await ask()).text).toBe('plain')
    expect(chat.asked[1]?.body).toMatchObject({ max_completion_tokens: 512 })
  })

  it('waits once for one that is busy, as long as it asks and no longer than is worth it', async () => {
    let busy = 1
    chat.reply = () => (busy-- > 0 ? { status: 429, headers: { 'retry-after': '0' } } : 'ok')
    expect((await ask()).text).toBe('ok')
    chat.reply = () => ({ status: 429, headers: { 'retry-after': '3600' } })
    const from = Date.now()
    await expect(ask()).rejects.toThrow('429')
    expect(Date.now() - from).toBeLessThan(1_500)
  })

  const broken: [string, Reply, RegExp][] = [
    ['a wrong key', { status: 401 }, /401/],
    ['its own failure', { status: 500 }, /500/],
    ['another form', { status: 200, raw: '{"choices":[]}' }, /not one of the protocol/],
    ['no JSON', { status: 200, raw: '<html>login</html>' }, /not JSON/],
    ['half an answer', { cut: true }, /broke off/],
    ['nothing', { hang: true }, /no answer within/],
    ['40 MB', { bytes: 40 * 1024 * 1024 }, /longer than/],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, /cannot be reached/],
  ]
  it.each(broken)('fails at %s, in time and without a word of key or prompt', async (_name, reply, why) => {
    chat.reply = () => reply
    const from = Date.now()
    const error = (await ask().catch((failed: unknown) => failed)) as Error
    expect([error.name, error.message]).toEqual(['ModelFailure', expect.stringMatching(why)])
    expect(JSON.stringify({ ...error, message: error.message, stack: error.stack })).not.toMatch(/sk-secret|List facts/)
    expect(Date.now() - from).toBeLessThan(5_000)
  })

  const listen = async (more: object = {}, signal?: AbortSignal) => {
    const heard: string[] = []
    const told = { ...prompt, json: false, heard: (piece: string) => void heard.push(piece), ...(signal && { signal }) }
    return {
      heard,
      answer: await model(more)
        .complete(told)
        .catch((failed: unknown) => failed as Error),
    }
  }

  it('answers in pieces where somebody listens, and in one where the service knows no pieces', async () => {
    chat.reply = () => ({ pieces: ['Fri', 'day. ', '金曜日'] })
    expect(await listen()).toEqual({ heard: ['Fri', 'day. ', '金曜日'], answer: { text: 'Friday. 金曜日', tokensIn: 100, tokensOut: 10 } })
    expect(chat.asked[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } })
    chat.reply = () => ({ status: 200, raw: '{"choices":[{"message":{"content":"Friday."}}]}' })
    expect(await listen()).toMatchObject({ heard: ['Friday.'], answer: { text: 'Friday.' } })
    chat.reply = ({ body }) => ('stream_options' in body ? { status: 400 } : { pieces: ['plain'] })
    expect(await listen()).toMatchObject({ heard: ['plain'] })
  })

  const event = { status: 200, headers: { 'content-type': 'text/event-stream' } }
  it.each<[string, Reply, RegExp]>([
    ['a broken connection', { pieces: ['Fri'], ending: 'cut' }, /broke off/],
    ['silence', { pieces: ['Fri'], ending: 'hang' }, /no answer within/],
    ['an end before the end', { ...event, raw: 'data: {"choices":[{"delta":{"content":"Fri"}}]}\n\n' }, /broke off/],
    ['an error', { ...event, raw: 'data: {"error":{"message":"overloaded"}}\n\n' }, /not one of the protocol/],
    ['no JSON', { ...event, raw: 'data: <html>\n\n' }, /not JSON/],
    ['a cut at its limit', { ...event, raw: 'data: {"choices":[{"finish_reason":"length"}]}\n\n' }, /max_tokens/],
    ['9 MB of one line', { ...event, raw: `data: ${'x'.repeat(9_000_000)}` }, /longer than/],
  ])('fails in the middle at %s', async (_name, reply, why) => {
    chat.reply = () => reply
    expect((await listen({ timeoutMs: 500 })).answer).toMatchObject({ name: 'ModelFailure', message: expect.stringMatching(why) })
  })

  it('ends when its caller goes, and where nobody listens', async () => {
    chat.reply = () => ({ hang: true })
    const gone = new AbortController()
    setTimeout(() => gone.abort(), 50)
    await expect(ask({}, gone.signal)).rejects.toThrow('broke off')
    await expect(ask({ url: 'http://127.0.0.1:9/v1' })).rejects.toThrow('cannot be reached')
  })

  it('says nothing of an answer that was cut at its limit', async () => {
    chat.reply = () => ({ status: 200, raw: '{"choices":[{"message":{"content":"{"},"finish_reason":"length"}]}' })
    await expect(ask()).rejects.toThrow('max_tokens')
  })
})
