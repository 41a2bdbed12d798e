import { LoomError } from '../contract/errors.ts'
import type { ShapeAnswer } from '../engine/shapes/answers.ts'
import type { ShapeCall, Shapes } from '../engine/shapes/shapes.ts'

/** What a host that serves shapes gives the HTTP face; null while it opens. */
export type ShapeSource = () => Pick<Shapes, 'answer'> | null

/** `GET /v1/shape`: one request of the shape protocol, whose token was read. */
export async function shapeResponse(
  request: Request,
  shapes: ShapeSource,
  caller: Pick<ShapeCall, 'claims' | 'signal' | 'recheck'>,
): Promise<Response> {
  const source = shapes()
  if (source === null) throw new LoomError('UNAVAILABLE', 'Shapes are being opened. Try again in a second.', { retry_after_s: 1 })
  const query = new URL(request.url).searchParams
  return responseOf(await source.answer({ ...caller, query, etags: request.headers.get('if-none-match') }))
}

function responseOf({ status, headers, body }: ShapeAnswer): Response {
  if (status === 304) return new Response(null, { status, headers })
  return new Response(typeof body === 'string' ? body : streamOf(body), { status, headers })
}

/** Sends pieces as they come; a reader that goes away ends their source. */
function streamOf(pieces: AsyncIterable<string | Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const next = await iterator.next()
      if (next.done) controller.close()
      else controller.enqueue(typeof next.value === 'string' ? encoder.encode(next.value) : next.value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
