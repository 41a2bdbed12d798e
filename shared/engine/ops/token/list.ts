import type { Output } from '../../../contract/declare.ts'
import { tokenList as contract } from '../../../contract/ops/token/list.ts'
import { tokensInSight } from '../../access/sight.ts'
import { defineRead } from '../../handler.ts'
import { listName, readPlace, writeCursor } from '../../store/cursor.ts'
import { iso } from '../../store/row-view.ts'
import { claimsOf, listTokens } from '../../store/tokens.ts'

export const tokenList = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { db, parts, caller, identity } = context
  const list = listName(contract.name, identity.org, input)
  const after = readPlace(list, input.cursor, ['time', 'text'])
  // What this process has seen of tokens in the last second is not written yet.
  await parts.lastUsed.flush()
  const rows = await listTokens(db, identity.org, {
    seen: tokensInSight(caller.claims, identity.org),
    revoked: input.include_revoked,
    after,
    limit: input.limit + 1,
  })
  const shown = rows.slice(0, input.limit)
  const last = shown.at(-1)
  return {
    tokens: shown.map((row) => ({
      ...claimsOf(row),
      created_at: row.created_at.toISOString(),
      created_by: row.created_by,
      last_used_at: iso(row.last_used_at),
      revoked_at: iso(row.revoked_at),
      note: row.note,
    })),
    next_cursor: rows.length > input.limit && last ? writeCursor(list, [last.created_at.toISOString(), last.token_id]) : null,
  }
})
