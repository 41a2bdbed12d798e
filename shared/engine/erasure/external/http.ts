import { createHash } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { LoomError } from '../../../contract/errors.ts'
import { secretVariable } from '../../../domain/webhook/secret-variable.ts'
import { secretBytes, type SecretOf } from '../../webhooks/secrets.ts'
import type { ErasureCall, ExternalEraser } from './eraser.ts'

export interface HttpEraserOptions {
  readonly url: URL
  readonly secretOf: SecretOf
  readonly fetch?: typeof fetch
  readonly clock?: () => number
  /** Milliseconds for the whole answer. Default 30,000. */
  readonly timeoutMs?: number
}

/** End of the variable that holds the secret of an org: LOOM_WEBHOOK_SECRET_<ORG>__ERASURE. */
const SECRET = 'ERASURE'
const MOST_BYTES = 65_536

/**
 * Asks a service to erase, by a POST signed as the change webhooks are. It must answer 2xx with `{"affected": n}`.
 * Whatever else it does fails the erasure; the same request comes again, under the same id.
 */
export function httpEraser(options: HttpEraserOptions): ExternalEraser {
  const { url, secretOf, clock = Date.now, timeoutMs = 30_000 } = options
  const name = url.host
  return {
    name,
    async erase(call) {
      const body = JSON.stringify(call)
      const variable = secretVariable(call.org, SECRET)
      const secret = secretBytes(variable, secretOf)
      if (secret === null)
        throw new LoomError('UNAVAILABLE', `The external eraser ${name} needs a signing secret. Set ${variable}, and the erasure goes on.`)
      const id = idOf(call, url)
      const at = new Date(clock())
      const headers = {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': Math.floor(at.getTime() / 1000).toString(),
        'webhook-signature': new Webhook(secret, { format: 'raw' }).sign(id, at, body),
      }
      return { affected: await ask({ method: 'POST', headers, body, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) }) }
    },
  }

  async function ask(init: RequestInit): Promise<number> {
    const response = await (options.fetch ?? fetch)(url, init).catch((error: unknown) => {
      throw unavailable(`does not answer`, error)
    })
    const text = response.ok ? await readText(response) : ''
    if (!response.ok) {
      await response.body?.cancel()
      throw unavailable(`answered ${response.status}`)
    }
    const affected = affectedIn(text)
    if (affected === null) throw unavailable('answered no count: it must answer {"affected": n}')
    return affected
  }

  function unavailable(what: string, cause?: unknown): LoomError {
    return new LoomError('UNAVAILABLE', `The external eraser ${name} ${what}.`, { retry_after_s: 60 }, { cause })
  }
}

/** The same for the same erasure of a namespace, so that a receiver knows a repeat. */
function idOf(call: ErasureCall, url: URL): string {
  return createHash('sha256').update([url.href, call.erasure_id, call.namespace].join('\0')).digest('hex').slice(0, 32)
}

async function readText(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  const pieces: Uint8Array[] = []
  let size = 0
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    size += next.value.byteLength
    if (size > MOST_BYTES) {
      await reader?.cancel()
      return ''
    }
    pieces.push(next.value)
  }
  return Buffer.concat(pieces).toString('utf8')
}

function affectedIn(text: string): number | null {
  try {
    const { affected } = JSON.parse(text) as { affected?: unknown }
    return typeof affected === 'number' && Number.isSafeInteger(affected) && affected >= 0 ? affected : null
  } catch {
    return null
  }
}
