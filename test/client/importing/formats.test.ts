import { zipSync, gzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { readAll, utf8 } from './read.ts'

const message = (id: string, role: string, text: string, more: object = {}) => ({
  id,
  message: {
    id,
    author: { role },
    create_time: 1714550400 + Number(id),
    content: { content_type: 'text', parts: [text] },
    recipient: 'all',
    metadata: {},
    ...more,
  },
  parent: 'loop',
  children: ['loop'],
})
const CHATGPT = [
  {
    title: 'Kitchen',
    create_time: 1714550400,
    update_time: 1714550500,
    conversation_id: 'c1',
    mapping: {
      loop: { id: 'loop', message: null, parent: 'loop', children: ['loop'] },
      2: message('2', 'assistant', 'Noted, the oven is broken.'),
      1: message('1', 'user', 'Our oven in the flat has been broken since April.'),
      3: message('3', 'assistant', 'Prefers gas over induction.', { recipient: 'bio' }),
      4: message('4', 'user', 'What should I cook tonight?'),
      5: message('5', 'user', 'ok'),
    },
  },
]

describe('an importer reads', () => {
  it('a ChatGPT export, whose tree may lead in a circle: what the person said, and what was to be remembered', async () => {
    const read = await readAll(JSON.stringify(CHATGPT))
    expect(read.formats).toEqual(['chatgpt'])
    expect(read.claims).toEqual([
      {
        text: 'Our oven in the flat has been broken since April.',
        tags: ['chatgpt'],
        valid_at: '2024-05-01T08:00:01.000Z',
        source_trace: 'chatgpt/c1/1',
        category: '',
      },
      {
        text: 'Prefers gas over induction.',
        tags: ['chatgpt', 'memory'],
        valid_at: '2024-05-01T08:00:03.000Z',
        source_trace: 'chatgpt/c1/3',
        category: '',
      },
    ])
    expect(read.left).toEqual({ answer: 1, question: 1, short: 1 })
  })

  it('a Claude export: conversations, and the memories of the account and of its projects', async () => {
    const conversations = [
      {
        uuid: 'k1',
        name: 'Boat',
        created_at: '2025-01-02T03:04:05.000000Z',
        chat_messages: [
          {
            uuid: 'm1',
            sender: 'human',
            text: '',
            content: [{ type: 'text', text: 'The boat is moored at pier nine.' }],
            created_at: '2025-01-02T03:04:05.123456Z',
          },
          { uuid: 'm2', sender: 'assistant', text: 'Nice.', content: [] },
        ],
      },
    ]
    const read = await readAll(JSON.stringify(conversations))
    expect(read.claims).toMatchObject([
      { text: 'The boat is moored at pier nine.', valid_at: '2025-01-02T03:04:05.123Z', source_trace: 'claude/k1/m1' },
    ])
    const memories = await readAll(
      JSON.stringify([
        { conversations_memory: '**Work**\n\n- Leads the pump team\n- Lives in Izmir', project_memories: { p1: 'Uses Rust.' } },
      ]),
    )
    expect(memories.texts).toEqual(['**Work**', 'Leads the pump team', 'Lives in Izmir', 'Uses Rust.'])
  })

  it('both of them out of a zip, with pictures passed over', async () => {
    const zip = zipSync({
      'conversations.json': utf8(JSON.stringify(CHATGPT)),
      'dalle/pic.png': new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0]),
      'user.json': utf8('{"id":"u","email":"a@b.c"}'),
      '__MACOSX/._x': utf8('junk'),
    })
    for (const piece of [1, 7, 4096]) {
      const read = await readAll(zip, {}, piece)
      expect(read.formats[0]).toBe('chatgpt')
      expect(read.claims).toHaveLength(2)
      expect(read.left['not_memory']).toBe(1)
    }
    expect((await readAll(gzipSync(utf8(JSON.stringify(CHATGPT))))).claims).toHaveLength(2)
  })

  it('memory.jsonl of the MCP server: observations under the name of their entity, and relations', async () => {
    const lines = [
      { type: 'entity', name: 'Ada_Byron', entityType: 'person', observations: ['speaks Turkish', 'Ada Byron leads ops'] },
      { type: 'relation', from: 'Ada_Byron', to: 'Ops', relationType: 'works_in' },
    ]
    const read = await readAll(lines.map((line) => JSON.stringify(line)).join('\n'))
    expect(read.formats).toEqual(['server-memory'])
    expect(read.texts).toEqual(['Ada Byron: speaks Turkish', 'Ada Byron leads ops', 'Ada Byron works in Ops.'])
    expect(read.claims[0]).toMatchObject({ tags: ['person'], source_trace: 'server-memory/Ada_Byron' })
    const graph = { entities: [lines[0]], relations: [lines[1]] }
    expect((await readAll(JSON.stringify(graph, null, 2))).texts).toEqual(read.texts)
  })

  it('mem0 and OpenMemory, without what was deleted there', async () => {
    const mem0 = {
      results: [{ id: 'a1', memory: 'Likes hiking in May.', user_id: 'u', categories: ['sport'], created_at: '2024-02-03T00:00:00-08:00' }],
    }
    for (const text of [
      JSON.stringify(mem0),
      JSON.stringify(mem0.results, null, 2),
      mem0.results.map((one) => JSON.stringify(one)).join('\n'),
    ]) {
      const read = await readAll(text)
      expect(read.formats).toEqual(['mem0'])
      expect(read.claims).toMatchObject([
        { text: 'Likes hiking in May.', tags: ['sport'], valid_at: '2024-02-03T08:00:00.000Z', source_trace: 'mem0/a1' },
      ])
    }
    const open = {
      user: { id: 'u' },
      memories: [
        { id: 'x', content: 'Owns two cats.', state: 'active', created_at: 1700000000 },
        { id: 'y', content: 'Owns a dog.', state: 'deleted', created_at: 1700000000 },
      ],
      apps: [{ id: 'p', name: 'cursor' }],
    }
    const read = await readAll(zipSync({ 'memories.json': utf8(JSON.stringify(open)), 'memories.jsonl.gz': gzipSync(utf8('x')) }))
    expect(read.texts).toEqual(['Owns two cats.'])
    expect(read.left).toEqual({ deleted: 1, not_memory: 2 })
  })

  it('a note of basic-memory: observations with category and tags, relations, dates', async () => {
    const note = [
      '---', 'title: Coffee', 'type: note', 'permalink: kitchen/coffee', 'tags: [drink, "hot"]', 'created: 2024-03-05', '---',
      '# Coffee', '', '## Observations', '- [method] Pour over takes four minutes #brew (tested)', '- [ ] buy filters', '', '## Relations', '- pairs_with [[Chocolate]]',
    ].join('\n') // prettier-ignore
    const read = await readAll(note)
    expect(read.formats).toEqual(['basic-memory'])
    expect(read.claims).toMatchObject([
      {
        text: 'Coffee: Pour over takes four minutes (tested)',
        category: 'method',
        tags: ['drink', 'hot', 'brew'],
        valid_at: '2024-03-05T00:00:00.000Z',
        source_trace: 'kitchen/coffee:11',
      },
      { text: 'Coffee pairs with Chocolate.', tags: ['drink', 'hot', 'relation'] },
    ])
    expect(read.left).toEqual({ task: 1 })
  })

  it('a vault note and a CLAUDE.md: items under their heading, paragraphs as they are, no code', async () => {
    const note =
      '---\ntags: home, garden\n---\nThe shed was [[Shed|built]] in 1911. ^b1\n\n# Rules\n\n- Use tabs #style\n- [x] done\n\n```sh\nrm -rf x\n```\n\n| a | b |\n@docs/more.md\n'
    const read = await readAll(note)
    expect(read.formats).toEqual(['markdown'])
    expect(read.claims).toMatchObject([
      { text: 'The shed was built in 1911.', tags: ['home', 'garden'], source_trace: 'upload:4' },
      { text: 'Rules: Use tabs #style', tags: ['home', 'garden', 'style'], source_trace: 'upload:8' },
    ])
    expect(read.left).toEqual({ task: 1, code: 1 })
  })

  it('sessions of Claude Code and of Codex: what the person told the agent', async () => {
    const claude = [
      {
        type: 'user',
        sessionId: 's',
        uuid: 'u1',
        timestamp: '2025-06-01T10:00:00Z',
        message: { role: 'user', content: 'We deploy to prod on Tuesdays only.' },
      },
      { type: 'assistant', sessionId: 's', uuid: 'u2', message: { role: 'assistant', content: [{ type: 'text', text: 'Ok.' }] } },
      { type: 'user', sessionId: 's', uuid: 'u3', message: { role: 'user', content: [{ type: 'tool_result', content: 'x' }] } },
      { type: 'user', sessionId: 's', uuid: 'u4', message: { role: 'user', content: '<command-name>/clear</command-name>' } },
    ]
    const read = await readAll(claude.map((line) => JSON.stringify(line)).join('\n'))
    expect(read.formats).toEqual(['agent-session'])
    expect(read.claims).toMatchObject([
      {
        text: 'We deploy to prod on Tuesdays only.',
        tags: ['claude-code'],
        valid_at: '2025-06-01T10:00:00.000Z',
        source_trace: 'claude-code/s/u1',
      },
    ])
    const said = (text: string) => ({
      timestamp: '2025-07-01T00:00:00Z',
      type: 'response_item',
      payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
    })
    const codex = [
      { timestamp: '2025-07-01T00:00:00Z', type: 'session_meta', payload: { id: 'z9' } },
      said('<environment_context>x</environment_context>'),
      said('The tests need Postgres seventeen here.'),
    ]
    const second = await readAll(codex.map((line) => JSON.stringify(line)).join('\n'))
    expect(second.claims).toMatchObject([{ text: 'The tests need Postgres seventeen here.', tags: ['codex'], source_trace: 'codex/z9/3' }])
  })

  it('CSV and JSONL by the columns that the caller names, or by their usual names', async () => {
    const csv = 'id;was;wann\n1;"Der Ofen ""Karl""\nist kaputt";2024-01-02\n2;Das Tor ist blau;nie\n'
    expect((await readAll(csv, { text: 'WAS', valid_at: 'wann' })).claims).toMatchObject([
      { text: 'Der Ofen "Karl"\nist kaputt', valid_at: '2024-01-02T00:00:00.000Z', source_trace: '1' },
      { text: 'Das Tor ist blau', source_trace: '2' },
    ])
    expect((await readAll('fact,tags\nThe gate is blue.,"a, b"\n')).claims).toMatchObject([{ text: 'The gate is blue.', tags: ['a', 'b'] }])
    expect((await readAll('{"note":"The gate is red.","labels":["x"]}\n{"note":"The gate is old."}\n')).claims).toMatchObject([
      { tags: ['x'] },
      { text: 'The gate is old.' },
    ])
    expect((await readAll('[{"note":"The gate is red."}]')).texts).toEqual(['The gate is red.'])
    const unknown = await readAll('foo,bar\n1,2\n')
    expect(unknown.problems).toMatchObject([{ code: 'NOT_RECOGNISED', line: 1 }])
    expect(unknown.problems[0]?.message).toContain('foo, bar')
  })

  it('a chat saved as Markdown: the turns of the person', async () => {
    const chat = '**You:** My sister lives in Oslo now.\n\n**ChatGPT:** Good to know.\n\nMore.\n\n**You:** Thanks!\n'
    const read = await readAll(chat)
    expect(read.formats).toEqual(['transcript'])
    expect(read.texts).toEqual(['My sister lives in Oslo now.'])
  })
})
