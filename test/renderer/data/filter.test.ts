import { describe, expect, it } from 'vitest'
import { NO_FILTER, isRanked, listInput, searchInput, type Filter } from '../../../renderer/data/filter.ts'
import { memoryList } from '../../../shared/contract/ops/memory/list.ts'
import { memorySearch } from '../../../shared/contract/ops/memory/search.ts'

const filter = (over: Partial<Filter> = {}): Filter => ({ ...NO_FILTER, namespace: 'local', ...over })

describe('filters', () => {
  it('rank what search knows, and list the rest by words', () => {
    expect(isRanked(filter({ query: 'deploy' }))).toBe(true)
    expect(isRanked(filter())).toBe(false)
    expect(isRanked(filter({ query: 'deploy', status: 'tombstoned' }))).toBe(false)
    expect(isRanked(filter({ query: 'deploy', type: 'profile' }))).toBe(false)
  })

  it('make calls that the contract takes', () => {
    const all = filter({ query: 'deploy', everywhere: true, type: 'semantic', tag: 'x' })
    expect(memorySearch.input.safeParse(searchInput(all, null)).success).toBe(true)
    expect(memoryList.input.safeParse(listInput({ ...all, status: 'tombstoned' }, 'cursor')).success).toBe(true)
  })

  it('list what waits to be sent, whatever it says', () => {
    const waiting = listInput(filter({ status: 'waiting', query: 'deploy' }), null)
    expect(isRanked(filter({ status: 'waiting', query: 'deploy' }))).toBe(false)
    expect(memoryList.input.safeParse(waiting).success).toBe(true)
    expect(waiting).toMatchObject({ provisional: true, status: expect.arrayContaining(['active', 'tombstoned']) })
    expect(listInput(filter(), null)).not.toHaveProperty('provisional')
  })

  it('do not count a person’s looking as recall', () => {
    expect(searchInput(filter({ query: 'deploy' }), null).auto_touch).toBe(false)
  })

  it('leave the namespace to the install where none is chosen', () => {
    expect(listInput(filter({ namespace: '' }), null)).not.toHaveProperty('namespace')
  })
})
