import { z } from 'zod'
import { ModelFailure, type Completion } from './port.ts'

const Usage = z.object({ prompt_tokens: z.number().nullish(), completion_tokens: z.number().nullish() }).nullish()
const Piece = z.object({
  choices: z
    .array(z.object({ delta: z.object({ content: z.string().nullish() }).nullish(), finish_reason: z.string().nullish() }))
    .default([]),
  usage: Usage,
})
export type ServiceUsage = z.infer<typeof Usage>

const count = (tokens: number | null | undefined): number =>
  typeof tokens === 'number' && Number.isFinite(tokens) && tokens > 0 ? Math.min(Math.round(tokens), Number.MAX_SAFE_INTEGER) : 0

/** What an answer cost, as far as the service says. */
export function tokensOf(usage: ServiceUsage): Pick<Completion, 'tokensIn' | 'tokensOut'> {
  return { tokensIn: count(usage?.prompt_tokens), tokensOut: count(usage?.completion_tokens) }
}

function readPiece(data: string): z.infer<typeof Piece> {
  let raw: unknown
  try {
    raw = JSON.parse(data)
  } catch {
    throw new ModelFailure('a piece of the answer is not JSON')
  }
  const read = Piece.safeParse(raw)
  if (!read.success || (typeof raw === 'object' && raw !== null && 'error' in raw))
    throw new ModelFailure('a piece of the answer is not one of the protocol')
  return read.data
}

/**
 * Reads an answer that comes in pieces (Server-Sent Events), telling each as it comes.
 * @throws ModelFailure where it breaks off, was cut, or is not of the protocol
 */
export async function readPieces(chunks: AsyncIterable<Uint8Array>, heard: (piece: string) => void): Promise<Completion> {
  const decoder = new TextDecoder()
  let line = ''
  let text = ''
  let usage: ServiceUsage = null
  let isWhole = false
  const take = (given: string): void => {
    const data = /^data: ?(.*)$/.exec(given.replace(/\r$/, ''))?.[1]?.trim() ?? ''
    if (data === '') return
    if (data === '[DONE]') {
      isWhole = true
      return
    }
    const piece = readPiece(data)
    usage = piece.usage ?? usage
    const [choice] = piece.choices
    const said = choice?.delta?.content ?? ''
    if (said !== '') {
      text += said
      heard(said)
    }
    if (choice?.finish_reason === 'length') throw new ModelFailure('the answer was cut at max_tokens')
    if (typeof choice?.finish_reason === 'string') isWhole = true
  }
  for await (const chunk of chunks) {
    const lines = (line + decoder.decode(chunk, { stream: true })).split('\n')
    line = lines.pop() ?? ''
    for (const one of lines) take(one)
  }
  take(line)
  if (!isWhole) throw new ModelFailure('the answer broke off')
  return { text, ...tokensOf(usage) }
}
