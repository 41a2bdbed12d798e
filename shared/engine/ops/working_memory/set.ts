import type { Output } from '../../../contract/declare.ts'
import { stringifyJson } from '../../../contract/json.ts'
import { workingMemorySet as contract } from '../../../contract/ops/working_memory/set.ts'
import { jsonBytes } from '../../../contract/run.ts'
import { defineWrite } from '../../handler.ts'
import { lockKeys } from '../../store/memories.ts'
import { isThere, passVersion, putScratch, scratchAt, scratchLock } from '../../store/working-memory.ts'

export const workingMemorySet = defineWrite(contract, {
  async run({ key, value, ttl_seconds, if_version }, { tx, identity, now, parts }): Promise<Output<typeof contract>> {
    await lockKeys(tx, parts.database.kind, [scratchLock(identity, key)])
    const before = await scratchAt(tx, identity, key)
    const live = isThere(before, now) ? before : null
    passVersion(key, live, if_version)
    const version = parts.versions.next(before?.version)
    const expires_at = new Date(now.getTime() + ttl_seconds * 1000)
    const { org, namespace, agent, user_id, session_id } = identity
    const place = { org, namespace, agent, user_id, session_id, key }
    await putScratch(tx, { ...place, value: stringifyJson(value), bytes: jsonBytes(value), version, updated_at: now, expires_at })
    return { key, version, version_text: version.toString(), created: live === null, expires_at: expires_at.toISOString() }
  },
})
