import { connect, type Socket } from 'node:net'

/** A bare TCP connection, for requests that no client would send. */
export interface Wire {
  readonly socket: Socket
  send(text: string | Buffer): void
  /** All that arrived until the other end closed, or until `pattern` was seen. */
  read(pattern?: RegExp): Promise<string>
}

export function wireTo(url: string): Promise<Wire> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.on('data', (chunk) => (text += chunk.toString('latin1')))
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      // A server that cuts the line is what some tests wait for.
      socket.on('error', () => undefined)
      resolve({
        socket,
        send: (data) => void socket.write(data),
        read: (pattern) =>
          new Promise((done) => {
            const look = (): void => {
              if (pattern === undefined || !pattern.test(text)) return
              socket.off('data', look)
              done(text)
            }
            socket.on('data', look)
            socket.once('close', () => done(text))
            if (socket.destroyed) done(text)
            look()
          }),
      })
    })
  })
}

export interface RawAnswer {
  readonly status: number
  readonly code: string
}

/** Status and error code of each HTTP answer in a text. */
export function answersIn(text: string): RawAnswer[] {
  return text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((part) => part.startsWith('HTTP/1.1 '))
    .map((part) => ({ status: Number(part.slice(9, 12)), code: /"code":\s*"([A-Z_]+)"/.exec(part)?.[1] ?? '' }))
}
