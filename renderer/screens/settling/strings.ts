import type { Choice } from '../../data/pair.ts'

/** What is said of a settled pair, after the key of what it is about. */
export const SETTLED = {
  kept: (other: string) => `is kept. ${other} is retired, and can be restored for 14 days.`,
  both: (other: string) => `and ${other} are both kept. They are not raised again.`,
  merged: (other: string) => `holds the new text. ${other} is retired, and can be restored for 14 days.`,
  undone: (key: string, other: string) => `Undone: ${key} and ${other} are as they were.`,
}

/** Why a choice changed nothing, where the engine names no error. */
export const MISSED = {
  '': 'Nothing was changed.',
  not_found: 'These two are not there any more. Nothing was changed.',
  settled: 'Somebody settled this meanwhile. Nothing was changed.',
  stale: 'One of the two was changed or retired meanwhile. Nothing was changed.',
}

export const REFUSED = {
  changed: 'One of the two was changed since it was read, so nothing was done. This is how they stand now: choose again.',
  unchanged: (why: string) => `Nothing was changed. ${why}`,
  pinned: (key: string) => `Nothing was changed: ${key} is pinned. Unpin it first, or choose otherwise.`,
  againstPinned: (key: string) => `Nothing was changed: ${key} is pinned, and says otherwise than this text.`,
  locked: (key: string, by: string, reason: string) => `Nothing was changed: ${key} is locked by ${by}${reason ? ` (${reason})` : ''}.`,
}

export const MERGE = {
  label: (key: string) => `The text that stays, under ${key}`,
  json: 'This is not JSON yet: check the brackets and the quotes.',
  empty: 'Write the text that is to stay.',
  does: (peer: string, row: string) => `${peer} gets this text as its next version. ${row} is retired, and can be restored for 14 days.`,
  save: 'Save merge',
  cancel: 'Cancel',
}

export const CHOICES: Readonly<Record<Choice, string>> = {
  keep_row: 'Keep this',
  keep_peer: 'Keep that',
  keep_both: 'Keep both',
  merge: 'Merge by hand…',
}
