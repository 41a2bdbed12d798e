import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A system outside Loom that is asked to erase too. */
export interface OutsideEraser {
  readonly url: string
  /** It answers at once, when `release` lets it, or not well. */
  mode: 'ok' | 'held' | 'refuse'
  release(): void
  close(): void
}

export async function openEraser(): Promise<OutsideEraser> {
  const held: ServerResponse[] = []
  const answer = (response: ServerResponse): void => void response.end('{"affected":0}')
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (eraser.mode === 'held') held.push(response)
      else if (eraser.mode === 'refuse') response.writeHead(500).end()
      else answer(response)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const eraser: OutsideEraser = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/erase`,
    mode: 'ok',
    release: () => held.splice(0).forEach(answer),
    close: () => void server.close(),
  }
  return eraser
}
