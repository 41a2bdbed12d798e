import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'

/** One fact of each script: key, tag, the tag as another writes it, entity, claim, a query, and a word of the claim. */
const SCRIPTS = {
  japanese: ['運用/デプロイ/本番', '配備', '配備', '佐藤さん', '本番デプロイの連絡先は佐藤さんです。', '本番デプロイの連絡先', '連絡先'],
  arabic: ['النشر/الإنتاج', 'النشر', 'النشر', 'ليلى', 'تتم عمليات النشر في الإنتاج يوم الثلاثاء فقط.', 'عمليات النشر في الإنتاج', 'الثلاثاء'],
  thai: ['ระบบ/การติดตั้ง', 'ติดตั้ง', 'ติดตั้ง', 'สมชาย', 'การติดตั้งระบบจริงทำทุกวันอังคารเท่านั้น', 'การติดตั้งระบบจริง', 'วันอังคาร'],
  hindi: ['तैनाती/उत्पादन', 'तैनाती', 'तैनाती', 'प्रिया', 'उत्पादन में तैनाती केवल मंगलवार को होती है।', 'उत्पादन में तैनाती', 'मंगलवार'],
  cyrillic: [
    'развёртывание/прод',
    'ПРОД',
    'прод',
    'ОЛЬГА',
    'Развёртывание в прод идёт только по вторникам.',
    'развёртывание в прод',
    'вторникам',
  ],
  greek: ['ανάπτυξη/παραγωγή', 'ΠΑΡΑΓΩΓΉ', 'παραγωγή', 'Ελένη', 'Η ανάπτυξη γίνεται μόνο την Τρίτη.', 'πότε γίνεται η ανάπτυξη', 'Τρίτη'],
  emoji: ['🚀/deploy/👩🏽‍🚒', '🚀', '🚀', '👩🏽‍🚒', 'The 🚀 channel belongs to the fire brigade 👩🏽‍🚒.', 'who has the 🚀 channel', 'brigade'],
  mixed: ['prod/本番/إنتاج', 'Équipe-日本', 'équipe-日本', 'Søren العربي', 'Søren deploys 本番 on الثلاثاء, καλά?', 'Søren deploys', '本番'],
  long: [
    'क'.repeat(512),
    'ก'.repeat(128),
    'ก'.repeat(128),
    'ア'.repeat(256),
    'The longest names that fit are kept whole.',
    'longest names',
    'longest',
  ],
} as const

let loom: TestEngine
beforeAll(async () => {
  loom = await openTestEngine()
})
afterAll(() => loom.close())

describe.each(Object.entries(SCRIPTS))('%s', (script, [memory_key, tag, sameTag, entity, value, query, word]) => {
  const namespace = `s-${script}`
  beforeAll(async () => {
    await loom.call('memory.set', { namespace, memory_key, value, tags: [tag], entities: [entity] })
    await loom.call('memory.set', { namespace, memory_key: 'other', value: 'Nothing of that kind is said here.' })
  })

  it('is kept to the letter in key, tag and value, and lowercased in entities', async () => {
    expect(await loom.call('memory.get', { namespace, memory_key })).toMatchObject({
      found: true,
      memory_key,
      value,
      tags: [tag],
      entities: [entity.toLowerCase()],
    })
    const { rows } = await loom.call('memory.history', { namespace, memory_key })
    expect(rows[0]).toMatchObject({ value, tags: [tag] })
  })

  it('is found by meaning or words, by its tag in any case, and by its entity', async () => {
    const search = async (more: object) =>
      (await loom.call('memory.search', { namespace, query, ...more })).results.map((hit) => hit.memory_key)
    expect(await search({})).toContain(memory_key)
    expect(await search({ query: word, search_mode: 'lexical' })).toEqual([memory_key])
    expect(await search({ tags: [sameTag], include_top_n_unmatched: 5 })).toEqual([memory_key])
    expect(await search({ entity_filter: [entity.toUpperCase()], include_top_n_unmatched: 5 })).toEqual([memory_key])
    const list = async (more: object) => (await loom.call('memory.list', { namespace, ...more })).rows.map((row) => row.memory_key)
    expect(await list({ tags_any: [sameTag] })).toEqual([memory_key])
    expect(await list({ tags_all: [sameTag] })).toEqual([memory_key])
    expect(await list({ entity: entity.toUpperCase() })).toEqual([memory_key])
    expect(await list({ key_prefix: memory_key.slice(0, 3) })).toEqual([memory_key])
    const timeline = async (more: object) => (await loom.call('memory.timeline', { namespace, ...more })).rows.map((row) => row.memory_key)
    expect(await timeline({ tags: [sameTag] })).toEqual([memory_key])
    expect(await timeline({ entity: entity.toUpperCase() })).toEqual([memory_key])
  })

  it('counts as one tag in every case, in taxonomy and stats, and a label of another case changes nothing', async () => {
    await loom.call('memory.set', { namespace, memory_key: 'second', value: `A second note, on ${word}.`, tags: [sameTag] })
    const { tags } = await loom.call('namespace.taxonomy', { namespace })
    expect(tags).toMatchObject([{ count: 2 }])
    expect((await loom.call('memory.stats', { namespace })).by_tag).toMatchObject([{ count: 2 }])
    const label = {
      namespace,
      agent: 'default',
      filter: { tags_any: [sameTag] },
      limit: 10,
      action: 'label',
      label: { tags: [sameTag] },
      reason: 'r',
    }
    expect(await loom.call('memory.apply', label as never)).toMatchObject({ matched: 2, totals: { unchanged: 2 } })
    await loom.call('memory.delete', { namespace, memory_key: 'second' })
  })

  it('moves, and is refused by a pattern of its own', async () => {
    expect(await loom.call('memory.move', { namespace, memory_key, to_key: `${[...memory_key].slice(1).join('')}!` })).toMatchObject({
      moved: true,
    })
    await loom.call('blacklist.add', { namespace, pattern: word.toUpperCase() })
    const refused = loom.call('memory.set', { namespace, memory_key: 'third', value: `Once more: ${word}.` })
    await expect(refused).rejects.toMatchObject({ code: 'BLACKLISTED' })
  })
})

describe('composed and decomposed letters', () => {
  const namespace = 'nfc'
  const composed = 'Zoë’s café opens at eight; the señor in Ångström street knows, and ﾃｽﾄ too.'.normalize('NFC')
  const decomposed = composed.normalize('NFD')

  it('are kept as given, and are one claim, one tag, one entity', async () => {
    expect(decomposed).not.toBe(composed)
    const first = await loom.call('memory.set', {
      namespace,
      memory_key: 'a',
      value: decomposed,
      tags: ['Café'.normalize('NFD')],
      entities: ['Zoë'.normalize('NFD')],
    })
    expect(await loom.call('memory.get', { namespace, memory_key: 'a' })).toMatchObject({
      value: decomposed,
      tags: ['Café'.normalize('NFD')],
    })
    expect(await loom.call('memory.set', { namespace, memory_key: 'b', value: composed })).toMatchObject({
      conflict_verdict: 'merge',
      merged_into_key: 'a',
      memory_id: first.memory_id,
    })
    const tag = 'CAFÉ'.normalize('NFC')
    const keys = (rows: readonly { memory_key: string }[]): string[] => rows.map((row) => row.memory_key)
    const search = (more: object) => loom.call('memory.search', { namespace, query: 'when does the café open', ...more })
    expect(keys((await search({})).results)).toEqual(['a'])
    expect(keys((await search({ tags: [tag] })).results)).toEqual(['a'])
    expect(keys((await search({ entity_filter: ['zoë'.normalize('NFC')] })).results)).toEqual(['a'])
    expect(keys((await loom.call('memory.list', { namespace, tags_any: [tag] })).rows)).toEqual(['a'])
    expect(keys((await loom.call('memory.list', { namespace, entity: 'ZOË'.normalize('NFC') })).rows)).toEqual(['a'])
    expect(keys((await loom.call('memory.timeline', { namespace, tags: [tag] })).rows)).toEqual(['a'])
    // The same tag in the other form changes nothing of the claim.
    expect(await loom.call('memory.set', { namespace, memory_key: 'a', value: decomposed, tags: [tag] })).toMatchObject({ noop: true })
  })

  it('of a pattern and of a value meet', async () => {
    await loom.call('blacklist.add', { namespace, pattern: 'crème brûlée'.normalize('NFD') })
    await loom.call('blacklist.add', { namespace, pattern: 'na[iï]ve plan'.normalize('NFC'), pattern_type: 'regex' })
    for (const value of ['We had Crème Brûlée.'.normalize('NFC'), 'A naïve plan.'.normalize('NFD')]) {
      await expect(loom.call('memory.set', { namespace, memory_key: 'c', value })).rejects.toMatchObject({ code: 'BLACKLISTED' })
    }
  })
})
