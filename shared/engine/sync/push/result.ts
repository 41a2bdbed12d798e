import { ERROR_TABLE, type ErrorCode } from '../../../contract/errors.ts'
import { ID5_FIELDS, Str } from '../../../contract/common.ts'
import type { Tx } from '../../db/database.ts'
import { withinBound, type Identity } from '../../identity.ts'
import { roleIn } from '../../rights.ts'
import { headAt, headById, type Head } from '../../store/memories.ts'
import type { KeptChange } from '../../store/sync-changes.ts'
import type { ChangeResult, PushCall, RawChange } from './call.ts'
import { rowNow } from './row-now.ts'

export const EMPTY: Omit<ChangeResult, 'change_id' | 'outcome'> = {
  replayed: false,
  code: '',
  message: '',
  conflict_verdict: '',
  status: '',
  merged_into_key: '',
  peers: [],
  memory_id: '',
  version: null,
  row: null,
  current_sha256: null,
  retry_after_s: null,
}

/** Where a change says that its row lies, as far as it can be read. */
function placeIn({ args }: RawChange): { identity: Identity; key: string } | null {
  if (typeof args !== 'object' || args === null) return null
  const told = args as Readonly<Record<string, unknown>>
  if (![...ID5_FIELDS, 'memory_key'].every((field) => Str.safeParse(told[field]).success)) return null
  const [org, namespace, agent, user_id, session_id] = ID5_FIELDS.map((field) => String(told[field])) as [
    string,
    string,
    string,
    string,
    string,
  ]
  return { identity: { org, namespace, agent, user_id, session_id }, key: String(told['memory_key']) }
}

/** The head of a change's key now, where the token may read it. */
async function readableHead(tx: Tx, kept: KeptChange, raw: RawChange, { context, org }: PushCall): Promise<Head | null> {
  const place = placeIn(raw)
  const named = place && place.identity.org === org ? await headAt(tx, place.identity, place.key) : null
  const head = named ?? (place || kept.memory_id === '' ? null : await headById(tx, org, kept.memory_id))
  const { caller } = context
  return head && roleIn(caller.claims, head.org, head.namespace) !== null && withinBound(caller, head) ? head : null
}

/** What was answered before, with today's row. */
export async function replayedResult(tx: Tx, kept: KeptChange, raw: RawChange, push: PushCall): Promise<ChangeResult> {
  const head = await readableHead(tx, kept, raw, push)
  const holder = kept.holder_id === '' ? null : await headById(tx, push.org, kept.holder_id)
  const { claims } = push.context.caller
  const isShown = holder !== null && roleIn(claims, holder.org, holder.namespace) !== null && withinBound(push.context.caller, holder)
  return {
    ...EMPTY,
    change_id: kept.change_id,
    outcome: kept.outcome as ChangeResult['outcome'],
    replayed: true,
    code: kept.code,
    message: kept.code === '' ? '' : ERROR_TABLE[kept.code as ErrorCode].when,
    conflict_verdict: kept.conflict_verdict as ChangeResult['conflict_verdict'],
    status: kept.status,
    merged_into_key: isShown ? holder.memory_key : '',
    memory_id: kept.memory_id,
    version: kept.version,
    row: head && (await rowNow(tx, 'memory', [head.org, head.memory_id])),
    current_sha256: kept.code === 'PRECONDITION_FAILED' ? (head?.content_sha256 ?? '') : null,
  }
}

/** It may go better another time. */
export function retryResult(changeId: string, code: string, message: string, afterS: number): ChangeResult {
  return { ...EMPTY, change_id: changeId, outcome: 'retry', code, message, retry_after_s: afterS }
}
