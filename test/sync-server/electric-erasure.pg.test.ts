import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { post, scratchHome } from '../helpers/headless.ts'
import { scratchDatabase, type ScratchDatabase } from '../helpers/postgres.ts'
import { needs, postgres } from '../helpers/requirements.ts'
import { startServer, type ServerProcess } from './server-process.ts'

/** No Electric runs here: a server that answers a shape as one would, and takes or refuses that it is deleted. */
let upstream: Server
let deletes: URLSearchParams[] = []
let refuses = false
let home: Awaited<ReturnType<typeof scratchHome>>
let database: ScratchDatabase
let server: ServerProcess
let headers: Record<string, string>

describe('an erasure on a server behind ELECTRIC_URL', { ...needs(postgres()), timeout: 120_000 }, () => {
  beforeAll(async () => {
    if (!postgres().available) return
    upstream = createServer((request, response) => {
      const { searchParams } = new URL(request.url ?? '', 'http://x')
      if (request.method === 'DELETE') {
        if (!refuses) deletes.push(searchParams)
        response.writeHead(refuses ? 405 : 202).end()
        return
      }
      const answer = { 'electric-handle': 'theirs', 'electric-offset': '0_inf', 'electric-schema': '{}', 'electric-up-to-date': '' }
      response.writeHead(200, { 'content-type': 'application/json', ...answer }).end('[{"headers":{"control":"up-to-date"}}]')
    })
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
    home = await scratchHome()
    database = await scratchDatabase()
    const electric = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/?secret=between-us`
    server = await startServer({ LOOM_SERVER_HOME: home.home, DATABASE_URL: database.url, ELECTRIC_URL: electric, LOOM_ORG: 'acme' })
    await vi.waitFor(() => expect(server.token()).not.toBeNull(), { timeout: 30_000 })
    headers = { authorization: `Bearer ${server.token()}` }
  }, 120_000)
  afterAll(async () => {
    if (!postgres().available) return
    await server.stop('SIGKILL')
    upstream.closeAllConnections()
    upstream.close()
    await database.drop()
    await home.drop()
  })

  const call = async (op: string, input: object) => (await post(server.url, op, input, headers)).body
  const request = { org: 'acme', scope_type: 'user_id', scope_value: 'u-1', requester: 'dpo@acme.example', purge: true }
  async function written(): Promise<void> {
    await call('memory.set', { namespace: 'chat', agent: 'a', user_id: 'u-1', memory_key: 'tea', value: 'Bilby drinks tea.' })
    for (const table of ['memory', 'versions', 'erasures'])
      expect((await fetch(`${server.url}/v1/shape?table=${table}&offset=-1`, { headers })).status).toBe(200)
  }

  test('deletes there the shapes that hold rows, before it is completed', async () => {
    await written()
    expect(await call('erasure.request', request)).toMatchObject({ status: 'completed', residue_count: 0 })
    expect(deletes.map((query) => query.get('table') ?? '').toSorted((a, b) => a.localeCompare(b))).toEqual([
      'loom.memory',
      'loom.memory_version',
    ])
  })

  test('is not completed while the service refuses, and says at which step; it is once it does not', async () => {
    await written()
    deletes = []
    refuses = true
    const failed = await call('erasure.request', request)
    expect(failed).toMatchObject({ status: 'failed', failure_reason: expect.stringMatching(/^delete\.sync: UNAVAILABLE/) as string })
    refuses = false
    // Its own next attempt is a minute away; a new request carries out the same.
    expect(await call('erasure.request', request)).toMatchObject({ status: 'completed', residue_count: 0 })
    expect(deletes.map((query) => query.get('table') ?? '').toSorted((a, b) => a.localeCompare(b))).toEqual([
      'loom.memory',
      'loom.memory_version',
    ])
  })
})
