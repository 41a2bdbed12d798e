import { createServer as createProxy } from 'node:http'
import { connect, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer } from 'node:tls'

/** What a company puts between: a server behind TLS with a certificate of its own authority, and a proxy that alone reaches it. */

/** A name that no resolver knows: the proxy does. */
export const TEAM_HOST = 'loom.team.example'

/** Of a test's own authority, for a hundred years; its key was thrown away. */
export const TEAM_AUTHORITY = `-----BEGIN CERTIFICATE-----
MIIBjjCCATWgAwIBAgIUPxUB6a3kaO0vZgp71QGJH5dgs5wwCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRVGVhbSBDQSBvZiBhIHRlc3QwIBcNMjYxMjAxMDUzMzEyWhgP
MjEyNjExMDcwNTMzMTJaMBwxGjAYBgNVBAMMEVRlYW0gQ0Egb2YgYSB0ZXN0MFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE06cm45oIwMDCfu2lODbPSr4iKCyRpL1J
4emkTDijpFl2ZqI8T4IIfFe6XOc0p85RM3pS1Juzs9LdlmwIRnltw6NTMFEwHQYD
VR0OBBYEFM9ajvCgRIJm1lR0vV9PTVOsyEfJMB8GA1UdIwQYMBaAFM9ajvCgRIJm
1lR0vV9PTVOsyEfJMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIg
R0iVds15xLjzl2KdL9dwcGqNYt5uwHtPXuZIjLfFCQ4CIHStndUsFmoBJQxDylF7
9vNP/TCFZQgB1/DmTwTvsTP2
-----END CERTIFICATE-----`
/** Of TEAM_HOST, signed by that authority; it guards nothing. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBpzCCAU2gAwIBAgIUUUhpYneJo3jbx7flFeVJFfK0eawwCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRVGVhbSBDQSBvZiBhIHRlc3QwIBcNMjYxMjAxMDUzMzEyWhgP
MjEyNjExMDcwNTMzMTJaMBwxGjAYBgNVBAMMEWxvb20udGVhbS5leGFtcGxlMFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEkMxRsGk3ZVuiiJANyexdQyl4XkZyiiuz
sTxF0PsqN0AnCCMw4AAtUTXXqm6/JhK1/SiqruaOMwEFFqYBR9NqZ6NrMGkwHAYD
VR0RBBUwE4IRbG9vbS50ZWFtLmV4YW1wbGUwCQYDVR0TBAIwADAdBgNVHQ4EFgQU
/DOMyvZWGKekEdh/wKAPZwB58XMwHwYDVR0jBBgwFoAUz1qO8KBEgmbWVHS9X09N
U6zIR8kwCgYIKoZIzj0EAwIDSAAwRQIhAJujCE2uBdXURFl8Xv2nx9YqIzawRjCQ
KVF95B1Yq288AiAT4v4Oc0tjfJelSniFJkNuANL/AIHb49hJFjt8YQJG4w==
-----END CERTIFICATE-----`
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgKRIdWTnu8zec9x6O
iI2IUwWSazYLSNkngjMmPfcF5YShRANCAASQzFGwaTdlW6KIkA3J7F1DKXheRnKK
K7OxPEXQ+yo3QCcIIzDgAC1RNdeqbr8mErX9KKqu5o4zAQUWpgFH02pn
-----END PRIVATE KEY-----`

export interface TlsFront extends AsyncDisposable {
  /** Address of the proxy. */
  readonly proxy: string
  /** Hosts that it was asked to connect to. */
  readonly tunnelled: readonly string[]
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** @param target address of the plain server, such as `http://127.0.0.1:7788` */
export async function tlsFront(target: string): Promise<TlsFront> {
  const { hostname, port } = new URL(target)
  const tunnelled: string[] = []
  const sockets = new Set<Socket>()
  const join = (one: Socket, other: Socket): void => {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy())
      from.on('close', () => void (sockets.delete(from), to.destroy()))
      from.pipe(to)
    }
  }
  // Only the TLS is its own: what is in it goes on as it is.
  const secure = createServer({ key: KEY, cert: CERTIFICATE }, (socket) => join(socket, connect(Number(port), hostname)))
  secure.on('tlsClientError', () => undefined)
  const inside = await listening(secure)
  const proxy = createProxy((_request, answer) => answer.writeHead(403).end())
  proxy.on('connect', (request, socket: Socket, head: Buffer) => {
    tunnelled.push(request.url ?? '')
    if (request.url !== `${TEAM_HOST}:443`) {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
      return
    }
    const far = connect(inside, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      far.write(head)
      join(socket, far)
    })
    far.on('error', () => socket.destroy())
  })
  const outside = await listening(proxy)
  return {
    proxy: `http://127.0.0.1:${outside}`,
    tunnelled,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      proxy.closeAllConnections()
      for (const server of [proxy, secure]) await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
