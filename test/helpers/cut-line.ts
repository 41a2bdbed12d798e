import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net'

/** A line to a server that can be cut and joined again; its address stays. */
export interface CutLine extends AsyncDisposable {
  readonly url: string
  /** From now on nobody gets through; what was under way breaks off. */
  cut(): Promise<void>
  join(): Promise<void>
  /** Of what is under way now nothing arrives any more, on either side, and nobody is told. Who comes later gets through. */
  drop(): void
  /** Who comes from now on reaches another server. */
  aim(target: string): void
}

/** @param target address of the server, such as `http://127.0.0.1:7788` */
export async function cutLine(target: string): Promise<CutLine> {
  let { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let server: Server | null = null
  let own = 0

  const pass = (socket: Socket): void => {
    const far = connect(Number(port), hostname)
    for (const [one, other] of [
      [socket, far],
      [far, socket],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  }
  const join = async (): Promise<void> => {
    const made = createServer(pass)
    await new Promise<void>((resolve, reject) => {
      made.once('error', reject)
      made.listen(own, '127.0.0.1', resolve)
    })
    own = (made.address() as AddressInfo).port
    server = made
  }
  const cut = async (): Promise<void> => {
    const gone = server
    server = null
    for (const socket of sockets) socket.destroy()
    if (gone) await new Promise<void>((resolve) => gone.close(() => resolve()))
  }
  const drop = (): void => {
    for (const socket of sockets) {
      socket.unpipe()
      socket.removeAllListeners('close')
      // Read and thrown away, as by a router that has forgotten the line.
      socket.resume()
    }
  }
  await join()
  return {
    url: `http://127.0.0.1:${own}`,
    cut,
    join,
    drop,
    aim: (next) => void ({ hostname, port } = new URL(next)),
    [Symbol.asyncDispose]: cut,
  }
}
