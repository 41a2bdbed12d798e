import { looksSecret } from '../text/secret.ts'

/** A memory being written. Survives Escape and a restart, unless it looks like a secret. */
export interface Draft {
  readonly namespace: string
  readonly text: string
  /** "" while the suggestion stands. */
  readonly key: string
  readonly tags: readonly string[]
}

const PREFIX = 'loom.draft.'
const held = new Map<string, Draft>()

function stored(name: string): Draft | null {
  try {
    const kept = JSON.parse(localStorage.getItem(PREFIX + name) ?? 'null') as Partial<Draft> | null
    if (!kept || typeof kept.text !== 'string') return null
    return {
      namespace: typeof kept.namespace === 'string' ? kept.namespace : '',
      text: kept.text,
      key: typeof kept.key === 'string' ? kept.key : '',
      tags: Array.isArray(kept.tags) ? kept.tags.filter((tag) => typeof tag === 'string') : [],
    }
  } catch {
    return null
  }
}

/** `name` is "new", or the id of the memory that is being edited. */
export function readDraft(name: string): Draft | null {
  return held.get(name) ?? stored(name)
}

export function forgetDraft(name: string): void {
  held.delete(name)
  try {
    localStorage.removeItem(PREFIX + name)
  } catch {
    // No storage, so nothing is in it.
  }
}

/** A draft that looks like a secret is held in memory alone, and what was stored of it goes. Null forgets it. */
export function keepDraft(name: string, draft: Draft | null): void {
  if (!draft || !(draft.text.trim() || draft.key || draft.tags.length)) {
    forgetDraft(name)
    return
  }
  held.set(name, draft)
  try {
    if ([draft.text, draft.key, ...draft.tags].some(looksSecret)) localStorage.removeItem(PREFIX + name)
    else localStorage.setItem(PREFIX + name, JSON.stringify(draft))
  } catch {
    // No storage: the draft lives as long as the window.
  }
}
