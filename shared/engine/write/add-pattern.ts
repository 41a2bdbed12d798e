import { v7 } from 'uuid'
import type { Input } from '../../contract/declare.ts'
import { LoomError } from '../../contract/errors.ts'
import { blacklistAdd as contract } from '../../contract/ops/blacklist/add.ts'
import type { WriteContext } from '../handler.ts'
import { writeAudit } from '../store/audit.ts'
import { compilePattern } from './blacklist.ts'

/** @throws LoomError INVALID_ARGUMENT for a pattern that does not compile, or that matches every value. */
export function checkPattern(pattern: string): void {
  try {
    if (!compilePattern(pattern).matcher('').find()) return
  } catch (error) {
    throw new LoomError('INVALID_ARGUMENT', `pattern does not compile: ${error instanceof Error ? error.message : 'not RE2 syntax'}.`, {
      field: 'pattern',
    })
  }
  throw new LoomError('INVALID_ARGUMENT', 'pattern matches the empty text, and so every value.', { field: 'pattern' })
}

/** Adds a pattern, or tells a known one anew, with its audit row. The caller has checked scope and pattern. */
export async function addPattern(
  input: Input<typeof contract>,
  context: WriteContext,
): Promise<{ blacklist_id: string; created: boolean }> {
  const { tx, identity, now, actor, caller } = context
  const org = input.scope === 'global' ? '*' : identity.org
  const place = { org, namespace: input.scope === 'namespace' ? identity.namespace : '', scope: input.scope }
  const known = await tx
    .selectFrom('blacklist')
    .select('blacklist_id')
    .where('org', '=', place.org)
    .where('namespace', '=', place.namespace)
    .where('scope', '=', place.scope)
    .where('pattern_type', '=', input.pattern_type)
    .where('pattern', '=', input.pattern)
    .executeTakeFirst()
  const told = { reason: input.reason, created_by: input.created_by ?? actor }
  const blacklist_id = known?.blacklist_id ?? v7()
  if (known) await tx.updateTable('blacklist').set(told).where('org', '=', org).where('blacklist_id', '=', blacklist_id).execute()
  else {
    await tx
      .insertInto('blacklist')
      .values({
        ...place,
        ...told,
        blacklist_id,
        pattern_type: input.pattern_type,
        pattern: input.pattern,
        actor,
        created_at: now,
        last_hit_at: null,
      })
      .execute()
  }
  await writeAudit(tx, [
    {
      op: contract.name,
      at: now,
      org: identity.org,
      actor,
      requestId: caller.requestId,
      subject: `blacklist:-/-/-/${blacklist_id}`,
      namespace: place.namespace,
    },
  ])
  return { blacklist_id, created: !known }
}
