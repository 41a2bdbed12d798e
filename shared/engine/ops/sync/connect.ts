import type { Input, Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { syncConnect as contract } from '../../../contract/ops/sync/connect.ts'
import { defineBatch } from '../../handler.ts'
import { syncOf } from '../../sync/desktop/sync-of.ts'

type Call = Input<typeof contract>

const refuse = (field: string, message: string): LoomError => new LoomError('INVALID_ARGUMENT', message, { field })

/** @throws LoomError INVALID_ARGUMENT unless the call holds a link, or an address and a code. */
function targetOf(input: Call): { serverUrl: string; code: string; field: string } {
  if (input.link !== undefined) {
    if (input.server_url !== undefined || input.code !== undefined) throw refuse('link', 'Send link, or server_url and code, one of them.')
    const link = URL.canParse(input.link) ? new URL(input.link) : null
    const server = link?.searchParams.get('server') ?? ''
    const code = link?.searchParams.get('code') ?? ''
    if (link?.protocol !== 'loom:' || server === '' || code === '')
      throw refuse('link', 'This is no pairing link: it looks like loom://pair?server=…&code=….')
    return { serverUrl: server, code, field: 'link' }
  }
  if (input.server_url === undefined || input.code === undefined) throw refuse('link', 'Send link, or server_url and code.')
  return { serverUrl: input.server_url, code: input.code, field: 'server_url' }
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** @throws LoomError INVALID_ARGUMENT for what is no address, and for plain http past this machine without leave. */
function addressOf(text: string, field: string, allowHttp: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw refuse(field, 'The address of the server is no http or https address.')
  if (url.protocol === 'http:' && !allowHttp && !LOOPBACK.has(url.hostname)) {
    throw refuse(field, `${url.host} is reached over plain http, which anybody between can read. Use https, or send allow_http: true.`)
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

export const syncConnect = defineBatch(contract, async (input, context): Promise<Output<typeof contract>> => {
  const sync = syncOf(context)
  const { serverUrl, code, field } = targetOf(input)
  const address = addressOf(serverUrl, field, input.allow_http)
  const target = { serverUrl: address, code, deviceName: input.device_name, useNamespace: input.use_namespace }
  const made = await sync.connect(target, context.actor)
  return {
    device_id: made.deviceId,
    org: made.org,
    grants: made.claims.grants,
    subject: made.claims.subject,
    server_version: made.serverVersion,
  }
})
