import { describe, expect, it } from 'vitest'
import { pathOf, routeOf } from '../../../renderer/state/route.ts'

describe('where the window is', () => {
  it('is read back from its own address, on every screen', () => {
    for (const route of [
      { screen: 'memories', namespace: 'local', id: '' },
      { screen: 'memories', namespace: 'local', id: '01J8-abc' },
      { screen: 'review', namespace: 'local', id: '' },
      { screen: 'review', namespace: 'ops/ team', id: 'p_01_02' },
      { screen: 'review', namespace: 'review', id: '' },
      { screen: 'memories', namespace: 'review', id: 'a/b' },
      { screen: 'settings', namespace: 'local', id: '' },
      { screen: 'settings', namespace: 'acme/chat', id: 'team' },
      { screen: 'privacy', namespace: 'local', id: 'er_0198' },
      { screen: 'memories', namespace: 'acme/chat', id: 'm1' },
    ] as const) {
      expect(routeOf(pathOf(route))).toEqual(route)
    }
  })

  it('is the memories where nothing else is said, and nothing where the address is broken', () => {
    expect(routeOf('/')).toEqual({ screen: 'memories', namespace: '', id: '' })
    expect(pathOf({ namespace: 'local' })).toBe('/local')
    expect(routeOf('/%E0%A4%A/x')).toEqual({ screen: 'memories', namespace: '', id: 'x' })
  })
})
