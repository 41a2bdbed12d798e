import type { OutputOf } from '../shared/contract/registry.ts'

/** How syncing and the erasures stand, as far as a person has to do something about them. */
export interface Standing {
  readonly sync: Pick<OutputOf<'sync.status'>, 'state' | 'inbox' | 'quarantined' | 'erasures_failed'>
  /** Erasures of this computer's own that failed, by id. */
  readonly failed: readonly string[]
}

/** What a person is told of, and where it is settled. */
export interface Notice {
  readonly title: string
  readonly body: string
  /** Screen and item, without the namespace. */
  readonly place: readonly string[]
}

const more = (before: readonly string[], now: readonly string[]): number => now.filter((id) => !before.includes(id)).length

/**
 * What is new and needs a person: told once, when it comes. Null before: the first look, which tells of nothing, since
 * the window shows what stands there already.
 */
export function noticesOf(before: Standing | null, now: Standing): Notice[] {
  if (before === null) return []
  const notices: Notice[] = []
  const changes = now.sync.inbox - before.sync.inbox
  if (changes > 0)
    notices.push({
      title: changes === 1 ? 'A change needs you' : `${changes} changes need you`,
      body: 'The team’s server settled it otherwise than here. Your text is kept.',
      place: ['review'],
    })
  const refused = now.sync.quarantined - before.sync.quarantined
  if (refused > 0)
    notices.push({
      title: refused === 1 ? 'The server could not take a change' : `The server could not take ${refused} changes`,
      body: 'It is set aside and not lost. Settings tells why.',
      place: ['settings', 'team'],
    })
  if (now.sync.state === 'revoked' && before.sync.state !== 'revoked')
    notices.push({
      title: 'The team does not let this computer in any more',
      body: 'What is here stays readable. To go on, connect with a new link.',
      place: ['settings', 'team'],
    })
  const erasures = more(before.sync.erasures_failed, now.sync.erasures_failed) + more(before.failed, now.failed)
  if (erasures > 0)
    notices.push({
      title: erasures === 1 ? 'An erasure is not finished' : `${erasures} erasures are not finished`,
      body: 'A step failed. What it covers stays hidden; it is tried again.',
      place: ['privacy'],
    })
  return notices
}
