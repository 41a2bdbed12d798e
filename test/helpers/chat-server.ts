import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A chat service that speaks the OpenAI protocol, in place of a provider: what it answers, a test says. */

export interface Asked {
  readonly system: string
  /** The data that the model was given. */
  readonly user: Record<string, unknown>
  readonly body: Record<string, unknown>
  readonly headers: IncomingMessage['headers']
}

/** What the model says; or what goes wrong. */
export type Reply =
  | string
  | object
  | { readonly status: number; readonly headers?: Record<string, string>; readonly raw?: string }
  /** The connection breaks in the middle of the answer. */
  | { readonly cut: true }
  /** An answer of so many bytes. */
  | { readonly bytes: number }
  /** Nothing comes. */
  | { readonly hang: true }
  /** In pieces, where it is asked so; then its end, silence, or a broken connection. */
  | { readonly pieces: readonly string[]; readonly ending?: 'end' | 'hang' | 'cut' }

export interface ChatServer extends AsyncDisposable {
  /** Base address, as LOOM_LLM_URL takes it. */
  readonly url: string
  readonly asked: Asked[]
  /** Answers that the asker left before their end. */
  left: number
  reply: (asked: Asked) => Reply | Promise<Reply>
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return JSON.parse(Buffer.concat(parts).toString('utf8')) as Record<string, unknown>
}

const whole = (content: string): string =>
  JSON.stringify({
    id: 'c1',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  })

/** Answers as services do that were asked to stream: a few pieces, the end, the cost. */
function stream(response: ServerResponse, pieces: readonly string[], ending: 'end' | 'hang' | 'cut' = 'end'): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const event = (data: object): void => void response.write(`data: ${JSON.stringify({ object: 'chat.completion.chunk', ...data })}\r\n\r\n`)
  event({ choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] })
  for (const content of pieces) event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })
  if (ending === 'hang') return
  if (ending === 'cut') return void setTimeout(() => response.destroy(), 20)
  event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  event({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 10 } })
  response.end('data: [DONE]\n\n')
}

function send(response: ServerResponse, reply: Reply, streams: boolean): void {
  const json = { 'content-type': 'application/json' }
  if (typeof reply === 'object' && 'pieces' in reply) return stream(response, reply.pieces, reply.ending)
  if (typeof reply === 'string' && streams) return stream(response, reply.match(/[\s\S]{1,7}/g) ?? [])
  if (typeof reply === 'object' && 'hang' in reply) return
  if (typeof reply === 'object' && 'cut' in reply) {
    response.writeHead(200, { ...json, 'content-length': '100000' })
    response.write(whole('{"facts": [').slice(0, 60))
    setTimeout(() => response.destroy(), 20)
    return
  }
  if (typeof reply === 'object' && 'bytes' in reply) {
    response.writeHead(200, json)
    response.on('error', () => undefined)
    const chunk = 'x'.repeat(1 << 20)
    let left = reply.bytes
    const more = (): void => {
      if (response.destroyed) return
      if (left <= 0) return void response.end()
      left -= chunk.length
      response.write(chunk, more)
    }
    return more()
  }
  if (typeof reply === 'object' && 'status' in reply) {
    response.writeHead(reply.status, { ...json, ...reply.headers })
    response.end(reply.raw ?? '{"error":{"message":"no"}}')
    return
  }
  response.writeHead(200, json)
  response.end(whole(typeof reply === 'string' ? reply : JSON.stringify(reply)))
}

export async function openChatServer(): Promise<ChatServer> {
  const asked: Asked[] = []
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request)
    const messages = body['messages'] as { role: string; content: string }[]
    const said = (role: string): string => messages.find((message) => message.role === role)?.content ?? ''
    const user = JSON.parse(said('user')) as Record<string, unknown>
    const call: Asked = { system: said('system'), user, body, headers: request.headers }
    asked.push(call)
    response.on('close', () => void (response.writableFinished || chat.left++))
    send(response, request.url === '/v1/chat/completions' ? await chat.reply(call) : { status: 404 }, body['stream'] === true)
  }
  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    void answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const chat: ChatServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    left: 0,
    reply: () => ({ facts: [] }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
  return chat
}
