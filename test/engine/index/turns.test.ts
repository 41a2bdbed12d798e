import { expect, test } from 'vitest'
import { createHotIndex } from '../../../shared/engine/index/hot-index.ts'
import { query, row } from './rows.ts'

const talk = (...said: readonly (readonly [id: string, text: string, change?: object])[]) => {
  const index = createHotIndex()
  said.forEach(([id, text, change], position) => index.upsert(row(id, text, { sessionId: 's', position, keyIndexed: false, ...change })))
  return (text: string): string[] => index.search(query(text)).hits.map((hit) => hit.memoryId)
}

test('what somebody tells of themselves comes before what is said to it', () => {
  const find = talk(
    ['answer', 'Bo: Pottery class, how nice for anyone!'],
    ['far', 'Bo: See the rain.'],
    ['told', 'Ada: Now I take a pottery class there!'],
  )
  expect(find('who takes a pottery class')[0]).toBe('told')
})

test('a question for a time is answered by a turn that has one', () => {
  const said = [
    ['plain', 'Ada: I moved the piano to the attic with Bo and Eli.'],
    ['between', 'Bo: Good for you all.'],
    ['dated', 'Ada: I moved the piano to the attic last week.'],
  ] as const
  expect(talk(...said)('when did Ada move the piano to the attic')[0]).toBe('dated')
})

test('a turn that stands against another loses nothing by it; a fact of a session does', () => {
  const contested = { status: 'conflicted' }
  const turns = talk(['one', 'Ada: I paint on Fridays, always.', contested], ['two', 'Bo: I never paint.'])
  expect(turns('when does Ada paint on Fridays')[0]).toBe('one')
  const facts = [
    ['held', 'The release train leaves on Friday.'],
    ['contested', 'The release train leaves on Friday too.', contested],
  ] as const
  expect(talk(...facts)('release train on Friday')[0]).toBe('held')
  expect(talk(...facts.toReversed())('release train on Friday')[0]).toBe('held')
})
