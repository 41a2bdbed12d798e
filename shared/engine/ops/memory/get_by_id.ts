import { sql } from 'kysely'
import { memoryGetById as contract } from '../../../contract/ops/memory/get_by_id.ts'
import { GREATEST_VERSION } from '../../clock.ts'
import { UNGUARDED } from '../../db/columns.ts'
import { defineRead, type ReadContext } from '../../handler.ts'
import { withinBound } from '../../identity.ts'
import { answerRead } from '../../read/answer-read.ts'
import { answerAsOf, asOfOf } from '../../read/read-as-of.ts'
import { roleIn } from '../../rights.ts'
import { aliasedTo } from '../../store/aliases.ts'
import { headById, type Head } from '../../store/memories.ts'

async function pastVersion(memoryId: string, version: bigint, context: ReadContext): Promise<Head | null> {
  if (version > GREATEST_VERSION) return null
  const row = await context.db
    .selectFrom('memory_version')
    .selectAll()
    .where('org', '=', context.identity.org)
    .where('memory_id', '=', memoryId)
    .where('version', '=', version)
    .where('erased_by', '=', sql.lit(''))
    .executeTakeFirst()
  return row ? { ...row, ...UNGUARDED, rev: 0n } : null
}

/** The row of an id, or of one that a device had given it. */
async function headOfId({ db, identity }: ReadContext, id: string): Promise<Head | null> {
  const head = await headById(db, identity.org, id)
  if (head) return head
  const known = await aliasedTo(db, identity.org, id)
  return known === null ? null : headById(db, identity.org, known)
}

/** Unknown, foreign and unreadable rows are one answer: not_found. */
export const memoryGetById = defineRead(contract, async (call, context) => {
  const input = { ...call, op: contract.name }
  const asOf = asOfOf(input)
  const head = await headOfId(context, input.memory_id)
  const readable = head !== null && roleIn(context.caller.claims, head.org, head.namespace) !== null && withinBound(context.caller, head)
  if (!readable) return answerRead(null, input, context)
  if (asOf) return answerAsOf([head], input, asOf, context)
  if (input.version === undefined || input.version === head.version) return answerRead(head, input, context)
  const past = await pastVersion(head.memory_id, input.version, context)
  return answerRead(past, { ...input, follow: false, anyStatus: true }, context)
})
