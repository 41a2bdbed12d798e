import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'

describe('facts in time, and facts about a file', () => {
  let loom: TestEngine
  let now = Date.parse('2026-03-02T10:00:00Z')
  beforeAll(async () => {
    loom = await openTestEngine({ clock: () => now })
  })
  afterAll(() => loom.close())

  const set = (namespace: string, memory_key: string, value: unknown, more: object = {}) =>
    loom.call('memory.set', { namespace, memory_key, value, ...more } as never)
  const timeline = (namespace: string, more: object = {}) => loom.call('memory.timeline', { namespace, ...more })
  const iso = (at: number): string => new Date(at).toISOString()

  it('[TIM014] orders rows by valid_at, else by created_at, either way, over pages', async () => {
    const start = now
    await set('order', 'c', 'The third thing told.', { valid_at: '2027-01-01' })
    now += 1000
    await set('order', 'b', 'The second thing told, undated.')
    now += 1000
    await set('order', 'a', 'The first thing that was ever so.', { valid_at: '2020-01-01' })
    const all = await timeline('order')
    expect(all.rows.map((row) => [row.memory_key, row.at, row.at_source])).toEqual([
      ['a', '2020-01-01T00:00:00.000Z', 'valid_at'],
      ['b', iso(start + 1000), 'created_at'],
      ['c', '2027-01-01T00:00:00.000Z', 'valid_at'],
    ])
    expect((await timeline('order', { order: 'desc' })).rows.map((row) => row.memory_key)).toEqual(['c', 'b', 'a'])
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof timeline>> = await timeline('order', { limit: 1, ...(cursor && { cursor }) })
      seen.push(...page.rows.map((row) => row.memory_key))
      cursor = page.next_cursor
    } while (cursor)
    expect(seen).toEqual(['a', 'b', 'c'])
    expect((await timeline('order', { from: '2020-01-01', to: iso(start + 1000) })).rows.map((row) => row.memory_key)).toEqual(['a'])
    await refused(timeline('order', { cursor: 'nonsense' }), 'INVALID_CURSOR')
    // A cursor of the very list, with a place that somebody made up.
    const { next_cursor } = await timeline('order', { limit: 1 })
    const [list] = JSON.parse(Buffer.from(next_cursor ?? '', 'base64url').toString()) as [string]
    const forged = (...place: unknown[]): string => Buffer.from(JSON.stringify([list, ...place])).toString('base64url')
    for (const place of [
      [],
      [{}, [], null],
      ['2026-13-45T00:00:00.000Z', '1', 'a'],
      ['2026-01-01T00:00:00.000Z', '99999999999999999999', 'a'],
      ['x', 'y', 'z'],
    ])
      await refused(timeline('order', { cursor: forged(...place) }), 'INVALID_CURSOR')
  })

  it('tells when each version was learnt, and when it stopped being held', async () => {
    await loom.call('namespace.register', { namespace: 'axes', default_conflict_policy: 'newest_wins' })
    const learnt = iso(now)
    await set('axes', 'lead', 'Ada leads the quarry.')
    now += 60_000
    const revised = iso(now)
    await set('axes', 'lead', 'Grace leads the quarry.')
    now += 60_000
    const retired = iso(now)
    await set('axes', 'other/lead', 'Linus leads the quarry.')
    const { rows } = await timeline('axes')
    expect(rows.map((row) => [row.excerpt, row.status, row.known_from, row.known_until])).toEqual([
      ['Ada leads the quarry.', 'active', learnt, revised],
      ['Grace leads the quarry.', 'superseded', revised, retired],
      ['Linus leads the quarry.', 'active', retired, null],
    ])
    expect(rows[1]!.superseded_by).toBe(rows[2]!.memory_id)
    expect((await timeline('axes', { include_superseded: false })).rows.map((row) => row.memory_key)).toEqual(['other/lead'])
  })

  it('tells of each version when it is the answer of as_of, in both times, whatever became of the key', async () => {
    await loom.call('namespace.register', { namespace: 'both', default_conflict_policy: 'newest_wins' })
    const day = (number: number): string => new Date(Date.parse('2026-03-01T00:00:00Z') + number * 86_400_000).toISOString()
    const step = async (run: () => Promise<unknown>): Promise<void> => {
      now += 20 * 3_600_000
      await run()
    }
    const about = { namespace: 'both' }
    await step(() => set('both', 'mill', 'Ada runs the mill.'))
    const { version } = await set('both', 'mill', 'Joe runs the mill.')
    await step(() => set('both', 'mill', 'Grace runs the mill.', { valid_at: day(-20) }))
    await step(() => set('both', 'mill', 'Joan runs the mill.', { valid_at: day(9), valid_to: day(40) }))
    await step(() =>
      set('both', 'mill', 'Grace still runs the mill until May.', { valid_at: day(3), valid_to: day(60), on_expire: 'demote' }),
    )
    await step(() => set('both', 'kiln', 'The kiln was lit on 14 March 2026.'))
    await step(() => loom.call('memory.delete', { ...about, memory_key: 'kiln' }))
    await step(() => loom.call('memory.restore', { ...about, memory_key: 'kiln' }))
    await step(() => set('both', 'lead', 'Ada leads the brickworks.'))
    await step(() => set('both', 'other/lead', 'Linus leads the brickworks.'))
    await step(() => set('both', 'brief', 'The yard is closed for a day.', { ttl_seconds: 86_400 }))
    await step(() => loom.call('memory.redact', { ...about, memory_key: 'mill', version, reason: 'test' }))
    const { rows } = await timeline('both', { include_expired: true, limit: 500 })
    const ids = [...new Set(rows.map((row) => row.memory_id))]
    expect(ids.length).toBeGreaterThanOrEqual(4)
    const bounds = rows.flatMap((row) => [row.true_from, row.true_until, row.known_from, row.held_until])
    const moments = [...new Set(bounds.filter((at) => at !== null).map((at) => Date.parse(at)))].flatMap((at) => [at - 1, at])
    for (const memory_id of ids)
      for (const at of moments)
        for (const [as_of_basis, from, until] of [
          ['valid_time', 'true_from', 'true_until'],
          ['knowledge_time', 'known_from', 'held_until'],
        ] as const) {
          const told = rows.filter(
            (row) => row.memory_id === memory_id && Date.parse(row[from]) <= at && at < Date.parse(row[until] ?? '9999-01-01'),
          )
          const answer = await loom.call('memory.get_by_id', { memory_id, as_of: iso(at), as_of_basis })
          const shown = answer.found && !answer.redacted ? [answer.version_text] : []
          expect(
            told.map((row) => row.version_text),
            `${memory_id} in ${as_of_basis} as of ${iso(at)}`,
          ).toEqual(shown)
        }
  })

  it('leaves out what is deleted, expired, of high sensitivity or under a hidden tag that the call does not name', async () => {
    await loom.call('namespace.register', { namespace: 'out', tag_registry: { draft: { search: 'hidden' } } })
    await set('out', 'gone', 'The hedge was cut down.')
    await loom.call('memory.delete', { namespace: 'out', memory_key: 'gone' })
    await set('out', 'old', 'The pump house is rented out.', { ttl_seconds: 1 })
    await set('out', 'high', 'The till code is behind the clock.', { sensitivity: 'high' })
    await set('out', 'draft', 'The attic may become a studio.', { tags: ['Draft'] })
    await set('out', 'chat', 'Somebody asked for the ladder.', { memory_type: 'episodic', entities: ['Ladder'] })
    now += 2000
    expect((await timeline('out')).rows.map((row) => row.memory_key)).toEqual(['chat'])
    expect((await timeline('out', { tags: ['draft'] })).rows.map((row) => row.memory_key)).toEqual(['draft'])
    expect((await timeline('out', { entity: 'LADDER' })).rows.map((row) => row.memory_key)).toEqual(['chat'])
    expect((await timeline('out', { memory_type: ['semantic'] })).rows).toEqual([])
    expect((await timeline('nothing')).rows).toEqual([])
  })

  it('[TAG007] takes up to 32 files and refuses 33, which store nothing', async () => {
    const files = Array.from({ length: 33 }, (_, at) => `src/file-${at}.ts`)
    await set('files', 'many', 'These files belong together.', { files: files.slice(0, 32) })
    expect((await loom.call('memory.get', { namespace: 'files', memory_key: 'many' })).files).toHaveLength(32)
    await refused(set('files', 'too-many', 'These are too many.', { files }), 'INVALID_ARGUMENT')
    expect(await loom.call('memory.get', { namespace: 'files', memory_key: 'too-many' })).toMatchObject({ found: false })
  })

  it('[TAG009] detects files where none are given, and adds none where some are', async () => {
    await set('files', 'detected', 'The retry loop is in shared/client/http-link.ts and nowhere else.')
    await set('files', 'given', 'The wire format lives in shared/contract/u64.ts today.', { files: ['docs/wire.md'] })
    const filesOf = async (memory_key: string) => (await loom.call('memory.get', { namespace: 'files', memory_key })).files
    expect(await filesOf('detected')).toEqual(['shared/client/http-link.ts'])
    expect(await filesOf('given')).toEqual(['docs/wire.md'])
  })

  it('[TAG008] serves the facts of a file before an edit: pinned, then exact, by suffix, by folder, then newest', async () => {
    const about = (key: string, value: string, files: string[], more: object = {}) => set('edit', key, value, { files, ...more })
    await about('folder', 'Everything in here is generated by a script.', ['src/api/'])
    await about('suffix', 'The router must stay sorted by length.', ['api/router.ts'])
    await about('exact', 'The timeout is set by the load balancer.', ['src/api/router.ts'])
    await about('pinned', 'Nobody may rename these handlers.', ['src/api/'], { pinned: true })
    await about('other', 'This talks of the painter.', ['src/painter.ts', 'src/api/router.tsx'])
    await about('case', 'This one is another file on Linux.', ['src/api/Router.ts'])
    const { rows } = await loom.call('memory.for_file', { namespace: 'edit', path: '.\\src\\api\\router.ts' })
    expect(rows.map((row) => [row.memory_key, row.match])).toEqual([
      ['pinned', 'directory'],
      ['exact', 'exact'],
      ['suffix', 'suffix'],
      ['folder', 'directory'],
    ])
    expect(rows[1]).toMatchObject({
      path: '.\\src\\api\\router.ts',
      value_text: 'The timeout is set by the load balancer.',
      verified: false,
      conflicts: [],
    })
    const both = await loom.call('memory.for_file', { namespace: 'edit', paths: ['src/painter.ts', 'nowhere.ts'] })
    expect(both.rows.map((row) => row.memory_key)).toEqual(['other'])
    await refused(loom.call('memory.for_file', { namespace: 'edit' }), 'INVALID_ARGUMENT')
    await refused(loom.call('memory.for_file', { namespace: 'edit', path: 'a', paths: ['b'] }), 'INVALID_ARGUMENT')
  })

  it('[TAG006] fills in the entities of rows whose writer named none, without a version or an audit row', async () => {
    const { version } = await set('names', 'met', 'Ada Lovelace reviewed the "rate limiter" with Grace in Paris.')
    await set('names', 'named', 'Katherine Johnson checked the orbit.', { entities: ['orbit'] })
    await set('names', 'card', 'Ada Lovelace pays with 4111 1111 1111 1111.')
    const audit = async () =>
      (await loom.database.reader.selectFrom('audit').select('audit_id').where('namespace', '=', 'names').execute()).length
    const before = await audit()
    expect(await loom.engine.runDueJobs()).toContain('entity_extractor')
    const rowOf = async (memory_key: string) => loom.call('memory.get', { namespace: 'names', memory_key })
    expect(await rowOf('met')).toMatchObject({ version, entities: ['ada lovelace', 'rate limiter', 'grace', 'paris'] })
    expect(await rowOf('named')).toMatchObject({ entities: ['orbit'] })
    expect(await rowOf('card')).toMatchObject({ entities: [], sensitivity: 'high' })
    expect(await audit()).toBe(before)
    expect((await timeline('names', { entity: 'paris' })).rows.map((row) => row.memory_key)).toEqual(['met'])
    const hits = await loom.call('memory.search', { namespace: 'names', query: 'reviewed', entity_filter: ['grace'] })
    expect(hits.results.map((hit) => hit.memory_key)).toEqual(['met'])
  })
})
