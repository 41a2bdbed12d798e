import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { ModelFailure, type Completion, type LanguageModel, type ModelService, type Prompt } from './port.ts'
import { readPieces, tokensOf } from './streamed-answer.ts'

/** More than any answer of 32,768 tokens. */
const MOST_ANSWER_BYTES = 4 * 1024 * 1024
/** How long a service that is busy is waited for, once. */
const MOST_PATIENCE_MS = 3_000

const Answer = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }), finish_reason: z.string().nullish() })).min(1),
  usage: z.object({ prompt_tokens: z.number().nullish(), completion_tokens: z.number().nullish() }).nullish(),
})

/** The body, as long as it is no longer than an answer can be. */
async function* bodyOf({ body }: Response): AsyncGenerator<Uint8Array> {
  if (body === null) return
  let bytes = 0
  for await (const part of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += part.byteLength
    // Leaving the loop ends the reading.
    if (bytes > MOST_ANSWER_BYTES) throw new ModelFailure(`the answer is longer than ${MOST_ANSWER_BYTES} bytes`)
    yield part
  }
}

async function readWhole(response: Response, heard: Prompt['heard']): Promise<Completion> {
  const parts: Uint8Array[] = []
  for await (const part of bodyOf(response)) parts.push(part)
  const answer = readAnswer(Buffer.concat(parts).toString('utf8'))
  heard?.(answer.text)
  return answer
}

const comesInPieces = (response: Response): boolean => response.headers.get('content-type')?.startsWith('text/event-stream') ?? false

function messagesOf({ system, user }: Prompt): { role: string; content: string }[] {
  return [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ]
}

/** The second form is for services that know neither of the first one's fields. */
function bodiesOf(prompt: Prompt, model: string): [object, object] {
  const messages = messagesOf(prompt)
  const stream = prompt.heard !== undefined
  const whole = { model, messages, temperature: 0, max_tokens: prompt.maxTokens, stream }
  return [
    {
      ...whole,
      ...(prompt.json && { response_format: { type: 'json_object' } }),
      ...(stream && { stream_options: { include_usage: true } }),
    },
    { model, messages, max_completion_tokens: prompt.maxTokens, ...(stream && { stream }) },
  ]
}

function readAnswer(text: string): Completion {
  let raw: unknown
  try {
    raw = JSON.parse(text)
  } catch {
    throw new ModelFailure('the answer is not JSON')
  }
  const read = Answer.safeParse(raw)
  if (!read.success) throw new ModelFailure('the answer is not one of the protocol')
  const [choice] = read.data.choices
  if (choice?.finish_reason === 'length') throw new ModelFailure('the answer was cut at max_tokens')
  return { text: choice?.message.content ?? '', ...tokensOf(read.data.usage) }
}

/** How long a busy service asks to be left alone, in milliseconds; null: it is not asked again. */
function patience(response: Response): number | null {
  if (response.status !== 429 && response.status !== 503) return null
  const seconds = Number(response.headers.get('retry-after') ?? '1')
  const ms = Number.isFinite(seconds) ? Math.max(0, seconds * 1000) : MOST_PATIENCE_MS + 1
  return ms <= MOST_PATIENCE_MS ? ms : null
}

/** The model behind an address. Each answer has a deadline and a size, in pieces too; no redirect is followed, and nothing is logged. */
export function createChatService(service: ModelService, send: typeof fetch = fetch): LanguageModel {
  const address = `${service.url.replace(/\/+$/, '')}/chat/completions`

  const ask = (body: object, signal: AbortSignal): Promise<Response> =>
    send(address, {
      method: 'POST',
      redirect: 'error',
      signal,
      headers: { 'content-type': 'application/json', ...(service.apiKey !== '' && { authorization: `Bearer ${service.apiKey}` }) },
      body: JSON.stringify(body),
    })

  async function answered(prompt: Prompt, signal: AbortSignal): Promise<Completion> {
    const [whole, plain] = bodiesOf(prompt, service.model)
    let response = await ask(whole, signal)
    const ms = patience(response)
    if (ms !== null) {
      await response.body?.cancel()
      await wait(ms, undefined, { signal })
      response = await ask(whole, signal)
    }
    if (response.status === 400 || response.status === 422) {
      await response.body?.cancel()
      response = await ask(plain, signal)
    }
    if (!response.ok) {
      await response.body?.cancel()
      throw new ModelFailure(`the service answered ${response.status}`)
    }
    const { heard } = prompt
    return heard !== undefined && comesInPieces(response) ? readPieces(bodyOf(response), heard) : readWhole(response, heard)
  }

  return {
    provider: new URL(service.url).host,
    model: service.model,
    async complete(prompt) {
      const deadline = AbortSignal.timeout(service.timeoutMs)
      const signal = prompt.signal ? AbortSignal.any([deadline, prompt.signal]) : deadline
      try {
        return await answered(prompt, signal)
      } catch (error) {
        if (error instanceof ModelFailure) throw error
        if (deadline.aborted) throw new ModelFailure(`no answer within ${service.timeoutMs} ms`)
        throw new ModelFailure('the service cannot be reached, or broke off')
      }
    },
  }
}
