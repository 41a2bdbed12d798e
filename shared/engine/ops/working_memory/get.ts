import type { Output } from '../../../contract/declare.ts'
import type { Json } from '../../../contract/common.ts'
import { parseJson } from '../../../contract/json.ts'
import { workingMemoryGet as contract } from '../../../contract/ops/working_memory/get.ts'
import { defineRead } from '../../handler.ts'
import { isThere, scratchAt } from '../../store/working-memory.ts'

export const workingMemoryGet = defineRead(contract, async ({ key }, { db, identity, now }): Promise<Output<typeof contract>> => {
  const row = await scratchAt(db, identity, key)
  if (!isThere(row, now)) return { found: false, key, value: null, version: 0n, version_text: '0', updated_at: null, expires_at: null }
  return {
    found: true,
    key,
    value: parseJson(row.value) as Json,
    version: row.version,
    version_text: row.version.toString(),
    updated_at: row.updated_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  }
})
