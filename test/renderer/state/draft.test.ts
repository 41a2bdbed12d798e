import { beforeEach, describe, expect, it, vi } from 'vitest'

const stored = new Map<string, string>()
vi.stubGlobal('localStorage', {
  getItem: (name: string) => stored.get(name) ?? null,
  setItem: (name: string, value: string) => void stored.set(name, value),
  removeItem: (name: string) => void stored.delete(name),
})
const draft = { namespace: 'local', text: 'The office opens at eight.', key: '', tags: ['office'] }

describe('drafts', () => {
  beforeEach(() => {
    stored.clear()
    vi.resetModules()
  })

  it('survive a restart', async () => {
    const before = await import('../../../renderer/state/draft.ts')
    before.keepDraft('new', draft)
    vi.resetModules()
    const after = await import('../../../renderer/state/draft.ts')
    expect(after.readDraft('new')).toEqual(draft)
  })

  it('that look like a secret are never stored, and take what was stored with them', async () => {
    const { keepDraft, readDraft } = await import('../../../renderer/state/draft.ts')
    keepDraft('new', draft)
    keepDraft('new', { ...draft, text: 'The password is violet-harbour-41.' })
    expect([...stored.values()].join()).not.toContain('violet')
    expect(stored.size).toBe(0)
    expect(readDraft('new')?.text).toContain('violet')
  })

  it('are forgotten when emptied, and broken ones are none', async () => {
    const { keepDraft, readDraft } = await import('../../../renderer/state/draft.ts')
    keepDraft('new', draft)
    keepDraft('new', { ...draft, text: ' ', tags: [] })
    expect(readDraft('new')).toBeNull()
    stored.set('loom.draft.other', '{broken')
    expect(readDraft('other')).toBeNull()
  })
})
