import type { Input, Output } from '../../../contract/declare.ts'
import { isLoomError, LoomError } from '../../../contract/errors.ts'
import { memoryTouch as contract } from '../../../contract/ops/memory/touch.ts'
import { defineWrite, type WriteContext } from '../../handler.ts'
import { lockKeys, type Head } from '../../store/memories.ts'
import { ambiguous, candidates } from '../../store/resolve.ts'
import { iso } from '../../store/row-view.ts'
import { passGuards } from '../../write/guards.ts'
import { isLapsed, isLive } from '../../write/state.ts'
import { touchedExpiry, touchOf, touchRow, type Touch } from '../../write/touch-row.ts'

type TouchedRow = Output<typeof contract>['rows'][number]

const REASONS: Readonly<Record<string, TouchedRow['reason']>> = { AMBIGUOUS_KEY: 'ambiguous', LOCKED: 'locked' }

function keysOf(input: Input<typeof contract>): readonly string[] {
  if ((input.memory_key === undefined) === (input.memory_keys === undefined)) {
    throw new LoomError('INVALID_ARGUMENT', 'Name memory_key or memory_keys, one of them.', { field: 'memory_key' })
  }
  return input.memory_keys ?? [input.memory_key ?? '']
}

/** @throws LoomError AMBIGUOUS_KEY or LOCKED */
async function touchOne(key: string, touch: Touch, dryRun: boolean, context: WriteContext): Promise<TouchedRow> {
  const heads = await candidates(context.tx, key, context)
  const live = heads.filter((head) => isLive(head, context.now))
  if (live.length > 1) throw ambiguous(key, live)
  const head: Head | undefined = live[0]
  if (!head) {
    const expired = heads.some((row) => isLapsed(row, context.now))
    return { memory_key: key, memory_id: '', touched: false, reason: expired ? 'expired' : 'not_found', expires_at: null }
  }
  if (dryRun) passGuards(head, 'change_expiry', context.now)
  else await touchRow(head, touch, contract.name, context)
  return { memory_key: key, memory_id: head.memory_id, touched: true, reason: '', expires_at: iso(touchedExpiry(head, touch).expires_at) }
}

export const memoryTouch = defineWrite(contract, {
  async run(input, context): Promise<Output<typeof contract>> {
    const { tx, identity, now, parts } = context
    const keys = keysOf(input)
    const touch = touchOf(input, now)
    await lockKeys(
      tx,
      parts.database.kind,
      keys.map((key) => `${identity.org}/${identity.namespace}/${key}`),
    )
    const rows: TouchedRow[] = []
    for (const key of keys) {
      try {
        rows.push(await touchOne(key, touch, input.dry_run, context))
      } catch (error) {
        const reason = isLoomError(error) ? REASONS[error.code] : undefined
        // A list goes on past a refusal; one key is refused as a whole.
        if (input.memory_keys === undefined || reason === undefined) throw error
        rows.push({ memory_key: key, memory_id: '', touched: false, reason, expires_at: null })
      }
    }
    return { touched: rows.filter((row) => row.touched).length, rows, dry_run: input.dry_run }
  },
})
