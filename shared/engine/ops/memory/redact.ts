import { sql } from 'kysely'
import type { Input, Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { memoryRedact as contract } from '../../../contract/ops/memory/redact.ts'
import { GREATEST_VERSION } from '../../clock.ts'
import { defineWrite, type WriteContext } from '../../handler.ts'
import { withinBound } from '../../identity.ts'
import { writeAudit } from '../../store/audit.ts'
import { forgetAnswers } from '../../store/llm-cache.ts'
import { headById, lockKeys, type Head } from '../../store/memories.ts'
import { profilesFrom, scrubHead, scrubQuotes, scrubVersions } from '../../store/redaction.ts'
import { ambiguous, candidates } from '../../store/resolve.ts'
import { passGuards } from '../../write/guards.ts'
import { announce, auditOf } from '../../write/revise-row.ts'
import { forgetPeerClaims } from '../../write/peer-claims.ts'
import { isLive } from '../../write/state.ts'

type Call = Input<typeof contract>
type Answer = Output<typeof contract>

/** The row that has a version of this number, whatever its status. */
async function rowOf(input: Call, context: WriteContext): Promise<Head | null> {
  const { tx, identity, caller } = context
  if ((input.memory_key === undefined) === (input.memory_id === undefined)) {
    throw new LoomError('INVALID_ARGUMENT', 'Name memory_key or memory_id, one of them.', { field: 'memory_key' })
  }
  const named = input.memory_id === undefined ? null : await headById(tx, identity.org, input.memory_id)
  const byId = named && named.namespace === identity.namespace && withinBound(caller, named) ? [named] : []
  const rows = input.memory_key === undefined ? byId : await candidates(tx, input.memory_key, context)
  if (input.version > GREATEST_VERSION) return null
  const having = await tx
    .selectFrom('memory_version')
    .select('memory_id')
    .where('org', '=', identity.org)
    .where('memory_id', 'in', ['', ...rows.map((row) => row.memory_id)])
    .where('version', '=', input.version)
    .where('erased_by', '=', sql.lit(''))
    .execute()
  const found = rows.filter((row) => having.some((version) => version.memory_id === row.memory_id))
  if (found.length > 1) throw ambiguous(input.memory_key ?? '', found)
  return found[0] ?? null
}

/** Scrubs versions, the head's among them if named, each with an audit row of its own. Answers those that still had content. */
async function scrub(head: Head, versions: readonly bigint[], context: WriteContext): Promise<bigint[]> {
  const { tx, parts } = context
  const scrubbed = await scrubVersions(tx, head.org, head.memory_id, versions)
  if (scrubbed.length === 0) return scrubbed
  await scrubQuotes(tx, head.org, head.memory_id)
  await forgetAnswers(tx, parts.database.kind, head.org)
  if (scrubbed.includes(head.version)) await announce(await scrubHead(tx, head), context)
  await writeAudit(
    tx,
    scrubbed.map((version) => ({ ...auditOf(head, contract.name, context), version, content_sha256: '', conflict_verdict: '' })),
  )
  const [newest = head.version] = scrubbed
  context.changed({ op: contract.name, kind: 'scrubbed', before: head, after: { ...head, version: newest } })
  // Vectors of texts are remembered by the text itself.
  context.afterCommit(() => parts.embeddings.clear())
  return scrubbed
}

async function scrubProfiles(source: Head, context: WriteContext): Promise<Answer['profiles']> {
  const profiles: Answer['profiles'] = []
  for (const { memory_id, versions } of await profilesFrom(context.tx, source.org, source.memory_id)) {
    const head = await headById(context.tx, source.org, memory_id)
    const scrubbed = head ? await scrub(head, versions, context) : []
    const [newest] = scrubbed
    if (head && newest !== undefined) {
      profiles.push({ memory_key: head.memory_key, memory_id, versions: scrubbed.length, version: newest, version_text: newest.toString() })
    }
  }
  return profiles
}

export const memoryRedact = defineWrite(contract, {
  async run(input, context): Promise<Answer> {
    const { tx, identity, now, parts } = context
    const answer = { memory_id: '', version: input.version, version_text: input.version.toString(), profiles: [] }
    if (input.memory_key !== undefined)
      await lockKeys(tx, parts.database.kind, [`${identity.org}/${identity.namespace}/${input.memory_key}`])
    const head = await rowOf(input, context)
    if (!head) return { ...answer, redacted: false, reason: 'not_found' }
    const found = { ...answer, memory_id: head.memory_id }
    if (isLive(head, now)) passGuards(head, 'delete', now)
    if (head.version === input.version && isLive(head, now)) return { ...found, redacted: false, reason: 'head' }
    await scrub(head, [input.version], context)
    context.afterCommit(() => {
      forgetPeerClaims()
      parts.embeddings.clear()
    })
    return { ...found, redacted: true, reason: '', profiles: await scrubProfiles(head, context) }
  },
})
