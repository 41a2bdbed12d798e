import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, type Client } from '../../../shared/client/create-client.ts'
import { inProcessLink } from '../../../shared/client/in-process-link.ts'
import { kindsText, reportText } from '../../../shared/client/importing/report-text.ts'
import { runImport } from '../../../shared/client/importing/run-import.ts'
import { NO_MODELS, openTestEngine, testCaller, type TestEngine } from '../../helpers/engine.ts'
import { makePdf } from '../../helpers/pdf.ts'
import { inPieces, utf8 } from './read.ts'
import { comparable, exported, rowsOf } from './whole-export.ts'

let loom: TestEngine
let client: Client
beforeAll(async () => {
  loom = await openTestEngine({ models: NO_MODELS })
  client = createClient(inProcessLink(loom.engine, testCaller()))
})
afterAll(() => loom.close())

const load = (namespace: string, text: string, dryRun = false, signal?: AbortSignal, onProgress?: () => void) =>
  runImport(client, [{ path: 'export.jsonl', size: text.length, open: () => inPieces(utf8(text), 4096) }], {
    place: { namespace },
    columns: {},
    dryRun,
    ...(signal && { signal }),
    ...(onProgress && { onProgress }),
  })

const AT = '2024-05-01T10:00:00.000Z'

async function makeWhole(namespace: string): Promise<void> {
  const at = { namespace, agent: 'one' }
  await client.knowledge.add({ ...at, document_key: 'notes', text: '# Boats\n\nThe ferry leaves at six.\n', tags: ['sea'] })
  await client.knowledge.add({
    ...at,
    document_key: 'plan',
    content_base64: Buffer.from(makePdf({ pages: ['The mast is painted white.'] })).toString('base64'),
  })
  await client.knowledge.add({ ...at, document_key: 'wide', source: 'wide.txt', content_base64: Buffer.from('\uFEFFThe quay is wide.', 'utf16le').toString('base64') }) // prettier-ignore
  await client.conversation.append({ ...at, thread_id: 't', title: 'Harbour', metadata: { k: 1 }, messages: [{ role: 'user', content: 'Where is the ferry?', at: AT }, { role: 'assistant', content: 'At pier nine.', at: AT, sensitivity: 'low' }] }) // prettier-ignore
  await client.conversation.append({
    ...at,
    user_id: 'ada',
    thread_id: 't',
    messages: [{ role: 'user', content: 'Mine.', at: AT, message_id: 'm1' }],
  })
  await client.memory.set({ ...at, memory_key: 'ferry', value: 'The ferry leaves at six.', run_id: 'r1' }, {})
  await client.run.start({ ...at, run_id: 'r1', goal: 'Find the ferry.', metadata: { n: 2 } })
  await client.run.event({
    ...at,
    run_id: 'r1',
    events: [
      { kind: 'note', summary: 'Looked.', at: AT },
      { kind: 'note', summary: 'Looked.', at: AT },
    ],
  })
  await client.run.complete({ ...at, run_id: 'r1', status: 'completed', memories_used: ['ferry'], outcome: 'negative', retain: 'demote' })
  await client.run.grade({ namespace, run_id: 'r1', grade: 'pass', reason: 'found' })
  await client.working_memory.set({ ...at, key: 'place', value: { page: 3 } })
  await client.memory.set({ ...at, memory_key: 'idea', value: 'A second ferry would help.', proposed: true }, {})
  await client.learning.record({ ...at, lesson: 'Look at the board first.', situation: 'at the quay', memory_key: 'learning/board' })
  await client.learning.decide({ ...at, memory_key: 'learning/board', decision: 'keep' })
  await client.profile.set({ ...at, subject: 'a/b%', attribute: 'boat', value: 'ferry', built_from: ['ferry'] })
  await client.blacklist.add({ namespace, pattern: 'ferry leaves', reason: 'old' })
}

describe('an import of an export', () => {
  it('puts back documents, conversations, runs, proposals, reviews, sources, patterns and scratch values; what is known of a run tells no row again', async () => {
    await makeWhole('whole')
    const text = await exported(client, 'whole')
    const kinds = { memory: 4, document: 3, thread: 2, message: 3, run: 1, event: 2, scratch: 1 }
    const dry = await load('copy', text, true)
    expect(dry).toMatchObject({ written: kinds, problems: [] })
    expect((await client.knowledge.list({ namespace: 'copy' })).documents).toEqual([])
    const report = await load('copy', text)
    expect(report).toMatchObject({ written: kinds, problems: [], reasons: { 'written proposed': 1 } })
    expect(kindsText(report)).toBe(
      'memories 4, documents 3, conversations 2, messages 3, runs 1, events of runs 2, values of working memory 1',
    )
    expect(reportText(report)).toContain('stored: memories 4, documents 3')
    expect(await comparable(client, 'copy')).toEqual(await comparable(client, 'whole'))

    const pdf = await client.knowledge.get({ namespace: 'copy', document_key: 'plan', include: 'original' })
    expect(pdf).toMatchObject({ format: 'pdf', pages: 1 })
    expect(Buffer.from(pdf.content_base64 ?? '', 'base64').equals(Buffer.from(makePdf({ pages: ['The mast is painted white.'] })))).toBe(
      true,
    )
    const ferry = rowsOf(await exported(client, 'copy'), 'memory').find((row) => row['memory_key'] === 'ferry')
    expect(ferry).toMatchObject({ confidence: 0.5, acted_count: 0, harm_count: 0, run_id: 'r1' })
    expect(await client.run.get({ namespace: 'copy', run_id: 'r1' })).toMatchObject({ outcome: 'negative', grade: 'pass', grade_reason: 'found', memories_used: ['ferry'] }) // prettier-ignore
    expect((await client.memory.proposals({ namespace: 'copy' })).proposals).toHaveLength(1)
    expect((await client.learning.queue({ namespace: 'copy', review: 'kept' })).learnings).toMatchObject([
      { lesson: 'Look at the board first.' },
    ])
    expect((await client.memory.get({ namespace: 'copy', agent: 'one', memory_key: 'profile/a%2Fb%25/boat' })).derived_from).toHaveLength(1)

    const versions = async () => (await client.namespace.export({ namespace: 'copy', section: 'history' })).rows.map((row) => [row['memory_key'], String(row['version'])]) // prettier-ignore
    const before = [
      await versions(),
      await client.conversation.list({ namespace: 'copy' }),
      await client.knowledge.list({ namespace: 'copy' }),
    ]
    expect(await load('copy', text)).toMatchObject({ totals: { written: 0 }, problems: [] })
    expect([
      await versions(),
      await client.conversation.list({ namespace: 'copy' }),
      await client.knowledge.list({ namespace: 'copy' }),
    ]).toEqual(before)
  })

  it('names each broken line, and stores what stands around it', async () => {
    const lines = (await exported(client, 'whole')).split('\n')
    const at = (kind: string): number => lines.findIndex((line) => line.includes(`"row_kind":"${kind}"`))
    const [message, run, value] = [at('message'), at('run'), at('value')]
    lines[message] = (lines[message] ?? '').replace('"role":"', '"role":"nobody')
    lines[run] = '{"row_kind":"run",'
    lines[value] = (lines[value] ?? '').replace('"key":"place"', '"key":7')
    const report = await load('mended', lines.join('\n'))
    expect(report.problems.map(({ line }) => line)).toEqual(expect.arrayContaining([run + 1, message + 1, value + 1]))
    expect(report).toMatchObject({ written: { memory: 4, document: 3, message: 2 } })
    // Events of a run that is not there are for reading.
    expect(report.written.run).toBeUndefined()
  })

  it('cancelled in the middle goes on from there, and comes to the same', async () => {
    const text = await exported(client, 'whole')
    const stop = new AbortController()
    let steps = 0
    const cut = await load('cut', text, false, stop.signal, () => void (++steps >= 1 && stop.abort()))
    expect(cut.cancelled).toBe(true)
    expect(await load('cut', text)).toMatchObject({ cancelled: false, problems: [] })
    expect(await comparable(client, 'cut')).toEqual(await comparable(client, 'whole'))
  })

  it('twice at once comes to the same as once', async () => {
    const text = await exported(client, 'whole')
    await Promise.all([load('both', text), load('both', text)])
    await load('both', text)
    expect(await comparable(client, 'both')).toEqual(await comparable(client, 'whole'))
  })

  it('of a document whose original is not in the export keeps the text, and says so', async () => {
    const lines = (await exported(client, 'whole')).split('\n').filter((line) => !line.includes('"row_kind":"original"'))
    const report = await load('bare', lines.join('\n'))
    expect(report.reasons['written text_only']).toBe(1)
    expect(await client.knowledge.get({ namespace: 'bare', document_key: 'plan' })).toMatchObject({ format: 'text', text: expect.stringContaining('The mast is painted white.') }) // prettier-ignore
  })

  it('never shares what its owner changed since it was shared', async () => {
    const at = { namespace: 'shelf', agent: 'one' }
    await client.memory.set({ ...at, memory_key: 'lamp', value: 'The lamp is brass.' }, {})
    await client.memory.promote({ ...at, memory_key: 'lamp' })
    await client.memory.set({ ...at, memory_key: 'lamp', value: 'The lamp hides the key.' }, {})
    expect(await load('shelf-copy', await exported(client, 'shelf'))).toMatchObject({ written: { memory: 1 }, problems: [] })
    const links = await client.namespace.export({ namespace: 'shelf-copy', section: 'links' })
    expect(links.rows).toEqual([])
  })
})
