import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { REGISTRY } from '../../shared/contract/registry.ts'
import type { OpContract } from '../../shared/contract/declare.ts'
import type { Listening } from '../../shared/transport/serve.ts'
import { relayCall } from '../../shared/transport/mcp-relay.ts'
import { OPENING_MS, rpc, serveEngine, stdioPeer, testEngine, type ToolResult } from '../helpers/transports.ts'

let server: Listening
beforeAll(async () => {
  server = await serveEngine(await testEngine())
}, OPENING_MS)
afterAll(() => server.close())

const ops = Object.values<OpContract>(REGISTRY)
const toolOf = (op: string): string => `loom_${op.replaceAll('.', '_')}`

interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: { readonly type: string; readonly properties: Record<string, unknown> }
  readonly outputSchema: { readonly type: string }
  readonly annotations: Record<string, boolean>
}

async function tools(query = ''): Promise<Tool[]> {
  const { body } = await rpc(`${server.url}/mcp${query}`, 'tools/list', {})
  return body.result?.tools as Tool[]
}

async function callTool(name: string, args: unknown, query = '', headers = {}, meta?: object): Promise<ToolResult> {
  const params = { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) }
  const { body } = await rpc(`${server.url}/mcp${query}`, 'tools/call', params, headers)
  return body.result as ToolResult
}

async function handshake(name: string): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name, version: '1' } }
  return (await rpc(`${server.url}/mcp`, 'initialize', params)).headers.get('mcp-session-id') ?? ''
}

describe('tools/list', () => {
  test('[API008] lists the core tools, each named after its operation', async () => {
    const core = ops.filter((op) => op.toolset === 'core').map((op) => toolOf(op.name))
    const names = (await tools()).map((tool) => tool.name)
    expect(names).toEqual([...core, 'loom_op'])
    expect(names.length).toBeLessThanOrEqual(14)
  })

  test('[API008] toolsets add their group, all adds all but the named ones', async () => {
    const all = ops.filter((op) => op.toolset === 'core' || op.toolset === 'all').map((op) => toolOf(op.name))
    expect((await tools('?toolset=all')).map((tool) => tool.name)).toEqual([...all, 'loom_op'])
    const admin = (await tools('?toolset=admin')).map((tool) => tool.name)
    expect(admin).toContain('loom_engine_info')
    expect(admin).not.toContain('loom_memory_list')
    expect(admin).not.toContain('loom_namespace_register')
  })

  test('[API023, API025] of erasures all lists the export and the request, not the list and the state', async () => {
    const names = (await tools('?toolset=all')).map((tool) => tool.name).filter((name) => name.startsWith('loom_erasure_'))
    expect(names.toSorted()).toEqual(['loom_erasure_export', 'loom_erasure_request'])
  })

  test('[API009] each of these answers over HTTP and as a tool by its name, listed or not', async () => {
    const scope = { scope_type: 'namespace', scope_value: 'mcp-erased', requester: 'dpo' }
    const post = async (op: string, input: object): Promise<Record<string, unknown>> => {
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(`${server.url}/v1/${op}`, { method: 'POST', headers, body: JSON.stringify(input) })
      return (await answer.json()) as Record<string, unknown>
    }
    const { erasure_id } = await post('erasure.request', scope)
    expect(erasure_id).toEqual(expect.any(String))
    const calls: [string, object][] = [
      ['export', scope],
      ['list', {}],
      ['request', scope],
      ['status', { erasure_id }],
    ]
    for (const [name, input] of calls) {
      const tool = await callTool(`loom_erasure_${name}`, input)
      expect([name, tool.isError ?? false]).toEqual([name, false])
      expect(Object.keys(await post(`erasure.${name}`, input)).toSorted()).toEqual(Object.keys(tool.structuredContent).toSorted())
    }
  })

  test('every tool has plain object schemas, and hints from its kind', async () => {
    for (const tool of await tools('?toolset=all')) {
      expect(tool.inputSchema.type, tool.name).toBe('object')
      expect(tool.outputSchema.type, tool.name).toBe('object')
      const op = ops.find(({ name }) => toolOf(name) === tool.name)
      if (op === undefined) continue
      expect(tool.annotations, tool.name).toMatchObject({ readOnlyHint: op.kind === 'read', idempotentHint: op.idempotent })
      for (const field of op.notOverMcp ?? []) expect(tool.inputSchema.properties).not.toHaveProperty(field)
    }
    const remove = (await tools()).find((tool) => tool.name === 'loom_memory_delete')
    expect(remove?.annotations.destructiveHint).toBe(true)
  })

  test('costs an agent less than 4,000 tokens, at 3.3 characters a token', async () => {
    const text = JSON.stringify(await tools())
    // Tokenizers of today's models take 3.5 to 4.5 characters of such JSON for one token.
    console.log(`tools/list: ${text.length} characters, at most about ${Math.round(text.length / 3.3)} tokens`)
    expect(text.length / 3.3).toBeLessThan(4000)
  })

  test('the short list names what most calls need, and all of it is taken and told', async () => {
    const [short, whole] = [await tools(), await tools('?toolset=all')]
    for (const tool of short) {
      const full = whole.find(({ name }) => name === tool.name)
      expect(Object.keys(full?.inputSchema.properties ?? {}), tool.name).toEqual(
        expect.arrayContaining(Object.keys(tool.inputSchema.properties)),
      )
    }
    const search = short.find(({ name }) => name === 'loom_memory_search')
    expect(search?.inputSchema.properties).not.toHaveProperty('min_confidence')
    const found = await callTool('loom_memory_search', { query: 'no such thing', min_confidence: 2 })
    expect(found).toMatchObject({ isError: true, structuredContent: { detail: { field: 'min_confidence' } } })
    const { structuredContent } = await callTool('loom_op', { op: 'help', query: 'memory.search_trace' })
    expect((structuredContent.ops as { fields: object }[])[0]?.fields).toHaveProperty('min_confidence')
  })
})

describe('tools/call', () => {
  test('an answer comes as structured content and as the same JSON in a text', async () => {
    const { structuredContent, content } = await callTool('loom_memory_set', { memory_key: 'mcp/one', value: 'Set over MCP.' })
    expect(structuredContent).toMatchObject({ memory_key: 'mcp/one', conflict_verdict: 'clear' })
    expect(content[0]?.text).toContain(`"version":${String(structuredContent.version)}`)
  })

  test('[API018] identity is filled from the connection, else from the client’s name', async () => {
    const session = await handshake('Careful Client')
    await callTool('loom_memory_set', { memory_key: 'mcp/identity', value: 'Named by its client.' }, '', { 'mcp-session-id': session })
    const byName = await callTool('loom_memory_get', { memory_key: 'mcp/identity', agent: 'Careful Client' })
    expect(byName.structuredContent).toMatchObject({
      org: 'dev',
      namespace: 'local',
      agent: 'Careful Client',
      user_id: '-',
      actor: 'process:Careful Client',
    })

    const query = '?namespace=team&agent=scribe&user_id=ada&session_id=s1'
    await callTool('loom_memory_set', { memory_key: 'mcp/identity', value: 'Named by the address.' }, query, { 'mcp-session-id': session })
    const byAddress = await callTool('loom_memory_get', { memory_key: 'mcp/identity' }, query)
    expect(byAddress.structuredContent).toMatchObject({ namespace: 'team', agent: 'scribe', user_id: 'ada', session_id: 's1' })
  })

  test('[API027] the same idempotency key writes once', async () => {
    const meta = { 'loom/idempotency-key': 'mcp-key-1' }
    const args = { memory_key: 'mcp/again', value: 'Once.' }
    const first = await callTool('loom_memory_set', args, '', {}, meta)
    const again = await callTool('loom_memory_set', args, '', {}, meta)
    expect(again.structuredContent).toEqual(first.structuredContent)
    const other = await callTool('loom_memory_set', { ...args, value: 'Another.' }, '', {}, meta)
    expect(other).toMatchObject({ isError: true, structuredContent: { detail: { code: 'IDEMPOTENCY_MISMATCH' } } })
  })

  test('an operation that is never listed is callable by name', async () => {
    const answer = await callTool('loom_namespace_register', { namespace: 'by-name', description: 'Made over MCP.' })
    expect(answer.structuredContent).toMatchObject({ created: true })
  })
})

describe('prompts and resources', () => {
  /** What a request is answered, and the error in place of it. */
  async function ask(method: string, params: object) {
    const { body } = await rpc(`${server.url}/mcp`, method, params)
    const told = body as { result?: Record<string, unknown>; error?: { code: number; message: string } }
    return { result: told.result ?? {}, error: told.error }
  }

  test('prompts read what a task needs, as the client', async () => {
    await callTool('loom_memory_set', { memory_key: 'prompt/pump', value: 'The harbour pump is greased every Monday.' })
    const { result: listed } = await ask('prompts/list', {})
    expect((listed['prompts'] as { name: string }[]).map(({ name }) => name)).toEqual(['start_task', 'ask_memory', 'save_what_lasts'])
    const said = async (name: string, args: object) => {
      const { result } = await ask('prompts/get', { name, arguments: args })
      return (result['messages'] as { content: { text: string } }[])[0]?.content.text
    }
    expect(await said('start_task', { task: 'grease the harbour pump' })).toContain(
      '- The harbour pump is greased every Monday. [prompt/pump]',
    )
    expect(await said('ask_memory', { question: 'When is the harbour pump greased?' })).toContain(
      'The harbour pump is greased every Monday. [1]',
    )
    expect(await said('ask_memory', { question: 'What is the capital of France?' })).toContain('Loom does not know')
    expect(await said('save_what_lasts', {})).toContain('loom_memory_set')
    expect((await ask('prompts/get', { name: 'start_task', arguments: {} })).error?.message).toContain('task is missing')
    expect((await ask('prompts/get', { name: 'nobody' })).error?.code).toBe(-32602)
  })

  test('resources are a primer, the open conflicts, and any memory by its key', async () => {
    await callTool('loom_memory_pin', { memory_key: 'resource/pinned fact', value: 'The quay is closed on Sundays.' })
    const { result } = await ask('resources/list', {})
    expect((result['resources'] as { uri: string }[]).map(({ uri }) => uri)).toEqual(['loom://primer', 'loom://conflicts'])
    const read = async (uri: string) =>
      ((await ask('resources/read', { uri })).result['contents'] as { text: string; mimeType: string }[])[0]
    expect(await read('loom://primer')).toMatchObject({
      mimeType: 'text/markdown',
      text: expect.stringContaining('The quay is closed on Sundays.'),
    })
    const key = encodeURIComponent('resource/pinned fact')
    const row = (await read(`loom://memory/${key}`))?.text ?? ''
    expect(row).toContain('The quay is closed on Sundays.')
    expect(row).toMatch(/"version":\d{19}/)
    expect((await read('loom://conflicts'))?.text).toContain('"pairs"')
    for (const uri of ['loom://nothing', 'file:///etc/passwd', 'loom://memory/%E0%A4%A', ''])
      expect((await ask('resources/read', { uri })).error, uri).toBeDefined()
  })
})

describe('loom_op', () => {
  test('[API029] calls any operation, with its arguments as object or as text', async () => {
    const asObject = await callTool('loom_op', { op: 'namespace.list', arguments: { limit: 5 } })
    expect(asObject.structuredContent).toHaveProperty('namespaces')
    const asText = await callTool('loom_op', { op: 'namespace.list', arguments: '{"limit":5}' })
    expect(asText.structuredContent).toEqual(asObject.structuredContent)
  })

  test('[API029] help finds operations by their words, with their fields', async () => {
    const { structuredContent } = await callTool('loom_op', { op: 'help', query: 'namespace settings' })
    const answered = structuredContent.ops as { op: string; tool: string; fields: object }[]
    expect(answered.map(({ op }) => op)).toContain('namespace.get')
    expect(answered.every(({ op }) => op.startsWith('namespace.'))).toBe(true)
    const found = answered.find(({ op }) => op === 'namespace.register')
    expect(found).toMatchObject({ tool: 'loom_namespace_register' })
    expect(found?.fields).toHaveProperty('conflict_threshold')
    const everything = await callTool('loom_op', { op: 'help' })
    expect(everything.structuredContent.ops).toHaveLength(ops.filter((op) => op.toolset !== 'none').length)
  })
})

describe('the official client', () => {
  test.each([
    ['of the current protocol', { versionNegotiation: { mode: 'auto' as const } }, '2026-07-28'],
    ['of the protocol before', {}, '2025-11-25'],
  ])('%s lists, calls, and is told errors', async (_, options, version) => {
    const client = new Client({ name: 'official', version: '1' }, options)
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)))
    try {
      expect(client.getNegotiatedProtocolVersion()).toBe(version)
      expect(client.getInstructions()).toContain('one fact per key')
      expect((await client.listTools()).tools.map((tool) => tool.name)).toContain('loom_memory_set')
      const set = await client.callTool({
        name: 'loom_memory_set',
        arguments: { memory_key: `official/${version}`, value: `Client ${version}.` },
      })
      expect(set.structuredContent).toMatchObject({ memory_key: `official/${version}` })
      const row = await client.callTool({ name: 'loom_memory_get', arguments: { memory_key: `official/${version}` } })
      expect(row.structuredContent).toMatchObject({ found: true, agent: 'official', actor: 'process:official' })
      const bad = await client.callTool({ name: 'loom_memory_get', arguments: { memory_key: '' } })
      expect(bad).toMatchObject({ isError: true, structuredContent: { detail: { code: 'INVALID_ARGUMENT', field: 'memory_key' } } })
    } finally {
      await client.close()
    }
  })
})

describe('over stdio', () => {
  test('fills the identity from its options and the client’s name, and ends with its input', async () => {
    const peer = await stdioPeer(await testEngine(), 'desk tool', { user_id: 'ada' })
    await peer.request('tools/call', { name: 'loom_memory_set', arguments: { memory_key: 'stdio/one', value: 'Over stdio.' } })
    const { result } = await peer.request('tools/call', { name: 'loom_memory_get', arguments: { memory_key: 'stdio/one' } })
    expect((result as ToolResult).structuredContent).toMatchObject({ agent: 'desk tool', user_id: 'ada', actor: 'process:desk tool' })
    await peer.close()
  })

  test('a relay runs the calls on a running app, as the same client', async () => {
    const call = relayCall({ baseUrl: server.url, fills: { namespace: 'relayed' } })
    const meta = { client: 'relayed tool', requestId: 'r', signal: new AbortController().signal }
    const set = await call('memory.set', { memory_key: 'relay/one', value: 2n ** 60n + 1n }, meta)
    expect(typeof set.version).toBe('bigint')
    const row = await call('memory.get', { memory_key: 'relay/one' }, meta)
    expect(row).toMatchObject({ value: 2n ** 60n + 1n, namespace: 'relayed', agent: 'relayed tool', actor: 'process:relayed tool' })
    await expect(call('memory.get', { memory_key: '' }, meta)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      fields: { field: 'memory_key' },
    })
    const nobody = relayCall({ baseUrl: 'http://127.0.0.1:1' })
    await expect(nobody('memory.get', { memory_key: 'a' }, meta)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })
})
