import { LoomError } from '../contract/errors.ts'
import { parseJson } from '../contract/json.ts'

function tooLarge(limit: number): LoomError {
  return new LoomError('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes. Send less, or raise LOOM_MAX_REQUEST_BYTES.`, {
    limit,
  })
}

function refuseMediaType(given: string | null): void {
  const [type, ...parameters] = (given ?? '').split(';').map((part) => part.trim().toLowerCase())
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '')
  if (type === 'application/json' && (charset === undefined || charset === 'utf-8' || charset === 'utf8')) return
  throw new LoomError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as Content-Type: application/json, in UTF-8.')
}

/** Reads at most `limit` bytes; what comes after the first byte too many is never kept. */
async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const declared = request.headers.get('content-length')
  if (declared !== null && Number(declared) > limit) throw tooLarge(limit)
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = request.body?.getReader()
  try {
    for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
      size += read.value.byteLength
      if (size > limit) throw tooLarge(limit)
      chunks.push(read.value)
    }
  } catch (error) {
    if (error instanceof LoomError) throw error
    throw new LoomError('CANCELLED', 'The body ended before its end. Nothing was written; send it again.', {}, { cause: error })
  } finally {
    reader?.releaseLock()
  }
  const [only] = chunks
  return chunks.length === 1 && only !== undefined ? only : new Uint8Array(Buffer.concat(chunks))
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new LoomError('INVALID_JSON', 'The body is not UTF-8.')
  }
}

/**
 * The JSON value in a request's body, integers past 2^53 as bigint.
 * @param limit bytes.
 * @throws LoomError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, INVALID_JSON, or CANCELLED when the caller went away.
 */
export async function readJsonBody(request: Request, limit: number): Promise<unknown> {
  refuseMediaType(request.headers.get('content-type'))
  return parseJson(decode(await readBytes(request, limit)))
}

/** As `readJsonBody`, for a body that has to be one object. */
export async function readObjectBody(request: Request, limit: number): Promise<Record<string, unknown>> {
  const value = await readJsonBody(request, limit)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new LoomError('INVALID_JSON', 'The body has to be one JSON object, such as {"memory_key": "deploy/window/prod"}.')
}
