import { errorBody } from '../contract/errors.ts'
import { stringifyJson } from '../contract/json.ts'
import { logFault } from './http-answer.ts'
import type { Log } from './log.ts'

const HEARTBEAT_MS = 15_000

/** Whether a caller asks for events rather than for one JSON answer: it names them, and JSON not at all. */
export function wantsEvents(accept: string | undefined): boolean {
  const named = (accept ?? '').toLowerCase().split(',')
  const names = (type: string): boolean => named.some((one) => one.split(';')[0]?.trim() === type)
  return names('text/event-stream') && !names('application/json')
}

/** Runs an operation that tells of its progress, until `signal` aborts. */
export type ToldRun = (progress: (told: Record<string, unknown>) => void, signal: AbortSignal) => Promise<Record<string, unknown>>

export interface EventAnswerOptions {
  readonly requestId: string
  readonly log: Log
  /** Aborts when the caller has gone. */
  readonly signal: AbortSignal
}

/**
 * An answer as Server-Sent Events: `progress` for what is told on the way, at the end one `answer` with the whole answer,
 * or one `error` with the documented body. Who closes the stream ends the operation.
 * @throws what the operation throws before it told anything: that is refused as any call is
 */
export async function eventAnswer(run: ToldRun, { requestId, log, signal }: EventAnswerOptions): Promise<Response> {
  const gone = new AbortController()
  const waiting: string[] = []
  let send = (frame: string): void => void waiting.push(frame)
  let began = (): void => undefined
  const begun = new Promise<void>((resolve) => (began = resolve))
  const frame = (event: string, data: unknown): string => `event: ${event}\ndata: ${stringifyJson(data)}\n\n`
  const answer = run(
    (told) => {
      send(frame('progress', told))
      began()
    },
    AbortSignal.any([signal, gone.signal]),
  )
  await Promise.race([answer, begun])
  const last = answer.then(
    (whole) => frame('answer', whole),
    (error: unknown) => {
      logFault(log, error, requestId)
      return frame('error', errorBody(error, requestId))
    },
  )
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      send = (text) => {
        if (!gone.signal.aborted) controller.enqueue(encoder.encode(text))
      }
      for (const text of waiting) send(text)
      const beat = setInterval(() => send(': still here\n\n'), HEARTBEAT_MS)
      const finish = async (): Promise<void> => {
        send(await last)
        clearInterval(beat)
        if (!gone.signal.aborted) controller.close()
      }
      void finish()
    },
    cancel: () => gone.abort(),
  })
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' },
  })
}
