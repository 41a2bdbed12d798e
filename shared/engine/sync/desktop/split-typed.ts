import { sql } from 'kysely'
import { stringifyJson } from '../../../contract/json.ts'
import type { Tx } from '../../db/database.ts'
import type { Identity } from '../../identity.ts'
import { recordId } from '../../store/records.ts'
import type { Draft, Left } from './split.ts'

type Fields = Readonly<Record<string, unknown>>
type ArgsOf = (op: string, args: Fields, identity: Identity) => Record<string, unknown>

/**
 * The arguments of a record's write as the server needs them: of a record that was there only the fields that changed
 * here, so that a field changed on one side only keeps that change, under the key that it has here.
 */
function written({ replay, answer }: Left): Fields {
  const { record_key: _key, fields, ...rest } = replay.args
  const changed = new Set(answer['changed'] as readonly string[])
  const told = Object.entries((fields ?? {}) as Fields).filter(([name]) => changed.has(name))
  const isDerived = answer['created'] === true && answer['key_source'] === 'identity'
  return { ...rest, fields: Object.fromEntries(told), ...(!isDerived && { record_key: answer['record_key'] }) }
}

/** A proposal made here may get another number on the server, and is the newest there when its decision comes. */
function decided({ replay }: Left): Fields {
  const { version: _version, ...rest } = replay.args
  return rest
}

/** The change that an operation on schemas or records leaves. */
export function ofTyped(left: Left, argsOf: ArgsOf): Draft[] {
  const { replay, identity, answer } = left
  const { op } = replay
  const args = op === 'memory.record.write' ? written(left) : op === 'memory_schema.approve' ? decided(left) : replay.args
  const key = answer['record_key'] ?? replay.args['record_key'] ?? replay.args['schema']
  const value = stringifyJson(args['fields'] ?? null)
  return [{ op, via: '', args: argsOf(op, args, identity), identity: { ...identity }, memoryKey: String(key), row: null, value }]
}

/** A record is deleted as it was seen: one that changed on the server meanwhile stays. */
export async function hashOfRecord(tx: Tx, { op, args, identity }: Draft): Promise<Record<string, unknown>> {
  if (op !== 'memory.record.delete') return {}
  const id = recordId(identity, String(args['schema']), String(args['record_key']))
  const { rows } = await sql<{ content_sha256: string }>`SELECT content_sha256 FROM loom.memory_record
    WHERE org = ${identity.org} AND record_id = ${id}`.execute(tx)
  return { if_match_sha256: args['if_match_sha256'] || (rows[0]?.content_sha256 ?? '') }
}
