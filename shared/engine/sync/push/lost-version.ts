import type { Input } from '../../../contract/declare.ts'
import type { memoryUpdate } from '../../../contract/ops/memory/update.ts'
import type { Json } from '../../../domain/claim/json.ts'
import type { WriteContext } from '../../handler.ts'
import { triplesOf } from '../../store/attachments.ts'
import { memoryAudit, writeAudit } from '../../store/audit.ts'
import { newestVersion, writeLostVersion } from '../../store/lost-versions.ts'
import type { Head } from '../../store/memories.ts'
import { madeAt, type Provenance } from '../../store/provenance.ts'
import { contentOf, type Content } from '../../write/content.ts'
import { planUpdate } from '../../write/plan-update.ts'
import { planWrite, type ClaimInput, type Target } from '../../write/plan.ts'
import { headOf } from '../../write/store-claim.ts'
import type { ReadChange } from './read-change.ts'

/** How a value that did not become the head stands in the history. */
export interface LostAs {
  readonly status: 'rejected' | 'conflicted' | 'superseded'
  readonly verdict: 'rejected' | 'conflict' | ''
}

export const contentOfChange = ({ key, claim, input }: ReadChange, context: Pick<WriteContext, 'parts'>): Content =>
  contentOf(key, (claim ? claim.value : input['value']) as Json, context.parts.config.valueAdvisoryChars)

/** The fields that the row would have had, as the operation decides them. */
async function targetOf(read: ReadChange, content: Content, head: Head | null, context: WriteContext): Promise<Target> {
  const { parts, tx, identity, caller, now } = context
  const settings = await parts.settings.get(tx, identity.org, identity.namespace)
  const options = {
    kind: caller.claims.kind,
    autodetect: settings.sensitivity_autodetect ?? parts.config.sensitivityAutodetect,
    settings,
    now,
  }
  return read.claim === null && head !== null
    ? planUpdate(read.input as Input<typeof memoryUpdate>, content, head, await triplesOf(tx, head.org, head.memory_id), options).target
    : planWrite(read.claim ?? (read.input as ClaimInput), content, head, options).target
}

/** Keeps the value of a change in the history of its key, with an audit row, and leaves the head as it is. */
export async function loseVersion(read: ReadChange, head: Head | null, as: LostAs, told: Provenance, context: WriteContext): Promise<Head> {
  const { tx, identity, now, parts } = context
  const content = contentOfChange(read, context)
  const target = await targetOf(read, content, head, context)
  const settlement = { verdict: 'clear', status: 'active', involved: [], holder: null, retires: [], opens: [] } as const
  const made = headOf({ op: read.op, identity, content, target, head, vectors: null, settlement, judged: [], checked: false }, context)
  const newest = await newestVersion(tx, made.org, made.memory_id)
  const version = newest < made.version ? made.version : parts.versions.next(newest)
  const lost: Head = { ...made, version, status: as.status, conflict_verdict: as.verdict, updated_at: madeAt(tx, made, now) }
  await writeLostVersion(tx, lost, read.op, told)
  await writeAudit(tx, [memoryAudit(lost, { op: read.op, at: now, actor: context.actor, requestId: context.caller.requestId })])
  return lost
}
