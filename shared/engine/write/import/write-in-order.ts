import { isLoomError, LoomError } from '../../../contract/errors.ts'
import type { PrepareContext } from '../../handler.ts'
import type { Entry } from '../bulk/entries.ts'
import { vectorsAhead } from '../bulk/vectors-ahead.ts'
import { writeEntry, type EntryMode } from '../bulk/write-entry.ts'
import type { Written } from '../set-claim.ts'
import { vectorsByCache } from './cached-vectors.ts'
import { createRehearsal } from './rehearsal.ts'

type Refusal = 'blacklist' | 'pinned' | 'locked' | 'pinned_peer' | 'char_limit'

/** What became of an entry: what the write came to, or which rule refused it. */
export type Fate = { readonly refused: Refusal } | { readonly refused: null; readonly written: Written }

const REFUSALS: Readonly<Record<string, Refusal>> = {
  BLACKLISTED: 'blacklist',
  PINNED_CONFLICT: 'pinned',
  LOCKED: 'locked',
  CHAR_LIMIT_EXCEEDED: 'char_limit',
}

/**
 * Writes the entries of a file in the order given, each in a transaction of its own; in a dry run each is judged against
 * those before it as if they were there. Whatever else than a rule of the row stops one ends the call: what came before it
 * stays, and the same call made again goes on from there.
 * @param modeOf how one entry is written
 * @param told hears of each before the next is begun
 * @throws LoomError CANCELLED once the caller is gone, and whatever the store raises.
 */
export async function writeInOrder<E extends Entry>(
  entries: readonly E[],
  modeOf: (entry: E, place: number) => EntryMode,
  context: PrepareContext,
  told: (entry: E, fate: Fate) => Promise<void>,
): Promise<void> {
  // Vectors are made in the order of the writing.
  const placed = entries.map((entry, index) => ({ ...entry, index }))
  const dryRun = entries[0]?.input.dry_run === true
  const aheadOf = vectorsAhead(placed, context, vectorsByCache(dryRun))
  const rehearsal = dryRun ? createRehearsal() : null
  for (const [place, entry] of entries.entries()) {
    if (context.caller.signal?.aborted)
      throw new LoomError(
        'CANCELLED',
        `The caller went away; ${place} of ${entries.length} entries were dealt with. The same call goes on from there.`,
      )
    const { vectors: made } = await aheadOf(placed[place] ?? { ...entry, index: place })
    const plain = modeOf(entry, place)
    const mode: EntryMode = {
      ...plain,
      ...(rehearsal && { rehearsed: (stored, vectors, write) => rehearsal.meet(entry, stored, vectors, plain.checked, write) }),
    }
    const fate = await fateOf(() => writeEntry(entry, made, mode, context))
    if (fate.refused === null) rehearsal?.note(entry, made, fate.written)
    await told(entry, fate)
  }
}

async function fateOf(write: () => Promise<Written>): Promise<Fate> {
  try {
    const written = await write()
    return written.outcome === 'rejected' ? { refused: 'pinned_peer' } : { refused: null, written }
  } catch (error) {
    const refused = isLoomError(error) ? REFUSALS[error.code] : undefined
    if (!refused) throw error
    return { refused }
  }
}
