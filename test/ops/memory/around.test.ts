import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localClaims } from '../../../shared/engine/caller.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'

describe('around a memory', () => {
  let loom: TestEngine
  let now = Date.parse('2026-03-02T10:00:00Z')
  const set = (memory_key: string, value: unknown, more: object = {}) => {
    now += 1000
    return loom.call('memory.set', { memory_key, value, ...more } as never)
  }
  beforeAll(async () => {
    loom = await openTestEngine({ clock: () => now })
    await set('team/lead', 'Ada leads the platform team.', { entities: ['Ada', 'Platform'], relations: [['Ada', 'leads', 'Platform']] })
    await set('team/size', 'The platform team has seven people.', { entities: ['Platform'] })
    await set('ada/office', 'Ada sits on the third floor.', { entities: ['Ada'], relations: [['ada', 'sits on', 'Third Floor']] })
    await set('floor/coffee', 'The coffee machine is broken.', { relations: [['third floor', 'has', 'coffee machine']] })
    await set('who/heads', 'The head of the platform group is Ada Lovelace.')
    await set('garden/roses', 'The roses are watered at dawn.')
    await loom.call('memory.link', { memory_key: 'garden/roses', to_key: 'team/lead', relation: 'supports', note: 'odd' })
  })
  afterAll(() => loom.close())
  const related = (input: object) => loom.call('memory.related', input)
  const vias = async (input: object) => Object.fromEntries((await related(input)).rows.map((row) => [row.memory_key, row.via]))

  describe('memory.related', () => {
    it('[TAG005] finds what is tied to a row, by its strongest tie, directly after the write', async () => {
      const answer = await related({ memory_key: 'team/lead' })
      expect(answer.found).toBe(true)
      expect(Object.fromEntries(answer.rows.map((row) => [row.memory_key, row.via]))).toEqual({
        'garden/roses': 'link',
        'ada/office': 'triple',
        'team/size': 'entity',
        'who/heads': 'meaning',
      })
      expect(answer.rows.map((row) => row.memory_key)).toEqual(['garden/roses', 'ada/office', 'team/size', 'who/heads'])
      expect(answer.rows.find((row) => row.memory_key === 'team/size')?.why).toEqual(
        expect.arrayContaining(['entity: platform', 'key: team/']),
      )
      expect(answer.rows.every((row) => row.distance === 1)).toBe(true)
      expect(answer.rows.find((row) => row.via === 'meaning')?.similarity).toBeGreaterThan(0.4)
    })

    it('shows the triples around a row and around a thing, whatever its case', async () => {
      const told = (answer: Awaited<ReturnType<typeof related>>) =>
        answer.triples.map((one) => `${one.subject} ${one.predicate} ${one.object}`).toSorted()
      expect(told(await related({ memory_key: 'team/lead' }))).toEqual(['Ada leads Platform', 'ada sits on Third Floor'])
      expect(told(await related({ entity: 'ADA' }))).toEqual(['Ada leads Platform', 'ada sits on Third Floor'])
      expect(told(await related({ entity: 'Third floor' }))).toEqual(['ada sits on Third Floor', 'third floor has coffee machine'])
    })

    it('goes a second step over what is stated', async () => {
      expect(await vias({ entity: 'platform' })).toEqual({ 'team/lead': 'triple', 'team/size': 'entity' })
      const two = await related({ entity: 'platform', depth: 2 })
      expect(two.rows.map((row) => [row.memory_key, row.distance])).toEqual(
        expect.arrayContaining([
          ['team/lead', 1],
          ['ada/office', 2],
          ['garden/roses', 2],
        ]),
      )
      expect(two.triples.map((one) => one.object)).toEqual(expect.arrayContaining(['Platform', 'Third Floor']))
    })

    it('says when there is no such row or thing', async () => {
      const none = { found: false, rows: [], triples: [] }
      expect(await related({ entity: 'atlantis' })).toEqual(none)
      expect(await related({ memory_key: 'no/such' })).toEqual(none)
      expect((await refused(related({}), 'INVALID_ARGUMENT')).fields).toMatchObject({ field: 'memory_key' })
      expect((await refused(related({ entity: 'ada', memory_key: 'team/lead' }), 'INVALID_ARGUMENT')).fields).toMatchObject({
        field: 'memory_key',
      })
    })

    it('[KEY031] [PRO005] keeps high, deleted and rejected rows and their triples out', async () => {
      const at = { namespace: 'out' }
      const relations = [['Nemo', 'commands', 'Nautilus']]
      await set('seen', 'Nemo is a captain.', { ...at, entities: ['nemo'] })
      await set('high', 'The safe word of Nemo is coral.', { ...at, entities: ['nemo'], relations, sensitivity: 'high' })
      await set('gone', 'Nemo commands the submarine.', { ...at, entities: ['nemo'], relations })
      await loom.call('memory.delete', { ...at, memory_key: 'gone' })
      const answer = await related({ ...at, entity: 'nemo' })
      expect(answer.rows.map((row) => row.memory_key)).toEqual(['seen'])
      expect(answer.triples).toEqual([])
    })

    it('[API031] shows a bound token its own rows alone', async () => {
      await set('theirs', 'Ada hides the spare key under the mat.', {
        user_id: 'bob',
        entities: ['ada'],
        relations: [['Ada', 'hides', 'spare key']],
      })
      const claims = { ...localClaims('human', 'eve'), user_id: 'eve' }
      expect(await loom.call('memory.related', { entity: 'ada' }, { claims })).toEqual({ found: false, rows: [], triples: [] })
    })
  })

  describe('memory.backlinks', () => {
    it('lists versions, links both ways, and what gave way to it, repeats it or leads to it', async () => {
      const at = { namespace: 'back' }
      await loom.call('namespace.register', { ...at, default_conflict_policy: 'newest_wins' } as never)
      await set('crane/old', 'The dock crane lifts forty tons.', at)
      await set('crane/new', 'The dock crane lifts fifty tons.', at)
      await set('crane/again', 'The dock crane lifts fifty tons!', { ...at, run_id: 'r1' })
      await set('crane/first', 'The crane hook is red.', at)
      await loom.call('memory.link', { ...at, memory_key: 'crane/first', to_key: 'crane/new', relation: 'evidence', note: 'seen' })
      await loom.call('memory.link', { ...at, memory_key: 'crane/new', to_key: 'crane/first', relation: 'see_also' })
      await set('crane/new', 'The dock crane lifts fifty tons at low tide.', at)
      const answer = await loom.call('memory.backlinks', { ...at, memory_key: 'crane/new' })
      expect(answer).toMatchObject({
        found: true,
        memory_key: 'crane/new',
        links_in: [{ memory_key: 'crane/first', relation: 'evidence', note: 'seen' }],
        links_out: [{ memory_key: 'crane/first', relation: 'see_also' }],
        evidence_count: 1,
        digests: [],
      })
      expect(answer.versions.map((one) => one.status)).toEqual(['active', 'active'])
      expect(answer.related.map((one) => [one.memory_key, one.why])).toEqual(expect.arrayContaining([['crane/old', ['superseded by it']]]))
      expect(await loom.call('memory.backlinks', { ...at, memory_id: answer.memory_id })).toEqual(answer)
      expect(await loom.call('memory.backlinks', { ...at, memory_key: 'no/such' })).toMatchObject({
        found: false,
        versions: [],
        related: [],
      })
    })

    it('names the key that was moved here, and summaries built from it', async () => {
      const at = { namespace: 'moved' }
      await set('quay/a', 'The quay is lit all night.', at)
      await loom.call('memory.move', { ...at, memory_key: 'quay/a', to_key: 'quay/b' })
      await loom.call('profile.set', { ...at, attribute: 'light', value: 'likes lit quays', built_from: ['quay/b'] })
      const { related: rows } = await loom.call('memory.backlinks', { ...at, memory_key: 'quay/b' })
      expect(rows.map((one) => `${one.memory_key}: ${one.why[0]}`).toSorted()).toEqual([
        'profile/default/light: built from it',
        'quay/a: leads to it',
      ])
    })
  })

  describe('memory.evidence', () => {
    it('tells where a memory comes from: who vouches, what it names, what speaks for it, which runs', async () => {
      const at = { namespace: 'why' }
      await loom.call('run.start', { ...at, run_id: 'r1', goal: 'Look at the pump' })
      await set('pump/a', 'The pump leaks at the seal.', {
        ...at,
        run_id: 'r1',
        source_resource_id: 'https://example.org/pump',
        source_trace: 'ticket 12',
      })
      await set('pump/b', 'Water stands under the pump.', at)
      await loom.call('memory.link', { ...at, memory_key: 'pump/b', to_key: 'pump/a', relation: 'supports' })
      await loom.call('memory.verify', { ...at, memory_key: 'pump/a' })
      await loom.call('run.complete', { ...at, run_id: 'r1', status: 'completed', memories_used: ['pump/a'] })
      await loom.call('run.grade', { ...at, run_id: 'r1', grade: 'pass' })
      const { rows } = await loom.call('memory.evidence', { ...at, memory_keys: ['pump/a', 'no/such'] })
      expect(rows[0]).toMatchObject({ memory_key: 'pump/a', found: true, evidence_count: 5 })
      expect(rows[0]?.items.map((item) => [item.kind, item.ref])).toEqual([
        ['attestation', expect.any(String)],
        ['resource', 'https://example.org/pump'],
        ['resource', 'ticket 12'],
        ['memory', 'pump/b'],
        ['run', 'r1'],
      ])
      expect(rows[0]?.items.at(-1)?.excerpt).toBe('wrote it, graded pass: Look at the pump')
      expect(rows[1]).toEqual({ memory_key: 'no/such', memory_id: '', found: false, evidence_count: 0, items: [] })
      const cut = await loom.call('memory.evidence', { ...at, memory_ids: [rows[0]?.memory_id ?? ''], limit: 2 })
      expect(cut.rows[0]).toMatchObject({ evidence_count: 5, items: [{}, {}] })
      expect((await refused(loom.call('memory.evidence', at), 'INVALID_ARGUMENT')).fields).toMatchObject({ field: 'memory_keys' })
    })

    it('[API031] leaves out of items and count what the token may not read', async () => {
      const at = { namespace: 'whose' }
      await set('claim', 'The weather vane points north.', { ...at, user_id: 'ada' })
      await set('proof', 'Bob saw the vane point north.', { ...at, user_id: 'bob' })
      await loom.call('memory.link', { ...at, memory_key: 'proof', to_key: 'claim', relation: 'evidence' })
      const claims = { ...localClaims('human', 'ada'), user_id: 'ada' }
      const input = { ...at, memory_keys: ['claim'] }
      expect((await loom.call('memory.evidence', input)).rows[0]).toMatchObject({ evidence_count: 1 })
      expect((await loom.call('memory.evidence', input, { claims })).rows[0]).toMatchObject({ found: true, evidence_count: 0, items: [] })
    })
  })
})
