import { LoomError } from '../../../contract/errors.ts'
import { blacklistAdd } from '../../../contract/ops/blacklist/add.ts'
import { memoryAssignCategory } from '../../../contract/ops/memory/assign_category.ts'
import { memoryDelete } from '../../../contract/ops/memory/delete.ts'
import { memorySet } from '../../../contract/ops/memory/set.ts'
import type { OpName } from '../../../contract/registry.ts'
import { defineWrite, type Handler, type WriteHandler } from '../../handler.ts'
import { headAt } from '../../store/memories.ts'
import { addPattern, checkPattern } from '../../write/add-pattern.ts'
import { requireScope } from '../../write/blacklist-scope.ts'
import { clearRows } from '../../write/clear-rows.ts'
import { passGuards } from '../../write/guards.ts'
import { linkUnlessStored } from '../../write/import/link-category.ts'
import { twinOf } from '../../write/import/twin.ts'
import { assessClaim, prepareClaim, putClaim } from '../../write/set-claim.ts'
import { isLive } from '../../write/state.ts'
import { NOT_SWEPT } from '../../write/sweep.ts'

/** A pattern alone: the rows that it matched on the device come as changes of their own. */
const pattern = defineWrite(blacklistAdd, {
  async run(input, context) {
    requireScope(context.caller, context.identity.org, input.scope)
    if (input.pattern_type === 'regex') checkPattern(input.pattern)
    const added = await addPattern(input, context)
    const { swept, skipped_locked, swept_truncated, sweep_error } = NOT_SWEPT
    return { ...added, scope: input.scope, swept, skipped_locked, swept_truncated, sweep_error }
  },
})

/** An entry of a bulk write: the value as stored only reinforces, whatever else it names; of an import, not even that. */
const entryOf = (via: 'memory.bulk_set' | 'memory.import' | 'memory.import_curated' | 'memory.copy_to') =>
  defineWrite(memorySet, {
    prepare: prepareClaim,
    exclusive: (_input, { identity }) => `${identity.org}/${identity.namespace}`,
    assess: assessClaim,
    run: async (input, context, prepared, assessment) => {
      const imports = via === 'memory.import' && { leavesHeld: true, twin: twinOf(prepared.content, context.identity, context.now) }
      return (await putClaim(via, input, context, prepared, assessment, { checked: true, valueDecides: true, ...imports })).answer
    },
  })

/** The category of an imported fact: a link that is stored is left as it is. */
const imported = defineWrite(memoryAssignCategory, {
  async run({ memory_key: key, category }, write) {
    const linked = await linkUnlessStored({ key, category }, write)
    return { ...linked, assigned: true, reason: '' as const, category, link: null }
  },
})

/** A row of memory.clear: its tombstone keeps the version number that it has. */
const cleared = defineWrite(memoryDelete, {
  async run(input, context) {
    const head = await headAt(context.tx, context.identity, input.memory_key)
    const nothing = {
      found: false,
      tombstoned: false,
      memory_id: '',
      version: 0n,
      version_text: '0',
      restorable_until: null,
      summaries: [],
    }
    if (!head || head.status === 'tombstoned') return nothing
    if (isLive(head, context.now)) passGuards(head, 'delete', context.now)
    await clearRows([head], 'memory.clear', context)
    const { memory_id, version } = head
    return { ...nothing, found: true, tombstoned: true, memory_id, version, version_text: version.toString() }
  },
})

const OF_MANY: Readonly<Partial<Record<string, WriteHandler>>> = {
  'memory.bulk_set memory.set': entryOf('memory.bulk_set'),
  'memory.import memory.set': entryOf('memory.import'),
  'memory.import_curated memory.set': entryOf('memory.import_curated'),
  'memory.import memory.assign_category': imported,
  'memory.copy_to memory.set': entryOf('memory.copy_to'),
  'memory.clear memory.delete': cleared,
}

/** Fields by which an operation of one row is one of many. */
const MANY = ['memory_keys', 'sweep'] as const
/** Of many rows whatever they name; those that go in several transactions are not told apart from them here. */
const SPLIT = new Set(['memory.outcome_run', 'memory.import', 'memory.set_from_messages', 'memory.copy_to', 'memory.import_curated'])

/**
 * How an operation of one row runs that was called by itself, or split from one of many whose rules it then follows.
 * @throws LoomError INVALID_ARGUMENT for one that was not split.
 */
export function singleRowHandler(
  op: OpName,
  via: string,
  input: Readonly<Record<string, unknown>>,
  handlerOf: (op: OpName) => Handler,
): WriteHandler {
  const handler = op === 'blacklist.add' ? (pattern as WriteHandler) : (OF_MANY[`${via} ${op}`] ?? handlerOf(op))
  const many = MANY.find((field) => input[field] !== undefined && input[field] !== false)
  if (handler.kind === 'read' || 'runAll' in handler || SPLIT.has(op) || many !== undefined)
    throw new LoomError('INVALID_ARGUMENT', `${op} of many rows is pushed as one change for each row.`, {
      field: many ? `args.${many}` : 'op',
    })
  return handler
}
