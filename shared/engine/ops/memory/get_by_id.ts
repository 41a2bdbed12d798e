import { memoryGetById as contract } from '../../../contract/ops/memory/get_by_id.ts'
import { UNGUARDED } from '../../db/columns.ts'
import { defineRead, type ReadContext } from '../../handler.ts'
import { withinBound } from '../../identity.ts'
import { answerRead } from '../../read/answer-read.ts'
import { answerAsOf, asOfOf } from '../../read/read-as-of.ts'
import { roleIn } from '../../rights.ts'
import { headById, type Head } from '../../store/memories.ts'

async function pastVersion(memoryId: string, version: bigint, context: ReadContext): Promise<Head | null> {
  const row = await context.db
    .selectFrom('memory_version')
    .selectAll()
    .where('org', '=', context.identity.org)
    .where('memory_id', '=', memoryId)
    .where('version', '=', version)
    .where('erased_by', '=', '')
    .executeTakeFirst()
  return row ? { ...row, ...UNGUARDED, rev: 0n } : null
}

/** Unknown, foreign and unreadable rows are one answer: not_found. */
export const memoryGetById = defineRead(contract, async (input, context) => {
  const head = await headById(context.db, context.identity.org, input.memory_id)
  const asOf = asOfOf(input)
  const readable = head !== null && roleIn(context.caller.claims, head.org, head.namespace) !== null && withinBound(context.caller, head)
  if (!readable) return answerRead(null, input, context)
  if (asOf) return answerAsOf([head], input, asOf, context)
  if (input.version === undefined || input.version === head.version) return answerRead(head, input, context)
  const past = await pastVersion(input.memory_id, input.version, context)
  return answerRead(past, { ...input, follow: false, anyStatus: true }, context)
})
