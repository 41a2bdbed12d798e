import { deriveKey } from '../../../domain/records/identity-key.ts'
import type { FieldDef, Scalar } from '../../../domain/records/schema.ts'
import { isFields, listIn, textIn, type Fields, type Place } from '../found.ts'
import { classOf, orTold, ownerOf, type Restoring } from './context.ts'

/** Values that are known, by field. */
function valuesOf(fields: Fields): Map<string, Scalar> {
  const values = new Map<string, Scalar>()
  for (const [name, one] of Object.entries(fields))
    if (isFields(one) && one['state'] === 'value') {
      const { value } = one
      values.set(name, typeof value === 'bigint' ? Number(value) : (value as Scalar))
    }
  return values
}

/** Whether what the record says makes its key. One that was renamed since keeps the key that it was given first. */
function makesItsKey(row: Fields, defs: readonly FieldDef[]): boolean {
  const derived = deriveKey(textIn(row, 'schema'), defs, valuesOf(row['fields'] as Fields), () => '')
  if (!('key' in derived)) return false
  // A key that is too long ends in a hash.
  return derived.key.endsWith('~') ? textIn(row, 'record_key').startsWith(derived.key) : textIn(row, 'record_key') === derived.key
}

/** Puts records back by memory.record.write, under the schemas that are active where they go. */
export function createRecords(restoring: Restoring) {
  const { client, place, dryRun, options, tally } = restoring
  const schemas = new Map<string, Promise<readonly FieldDef[] | null>>()
  // Schemas of the export, which a dry run does not register.
  const announced = new Set<string>()

  /** Fields of the active schema; null where there is none. */
  function fieldsOf(schema: string): Promise<readonly FieldDef[] | null> {
    const known = schemas.get(schema)
    if (known) return known
    const asked = client.call('memory_schema.list', { ...place, schema, status: ['active'] }, options).then((answer) => {
      const [active] = listIn(answer, 'schemas')
      return isFields(active) ? (active['fields'] as readonly FieldDef[]) : null
    })
    schemas.set(schema, asked)
    return asked
  }

  async function put(row: Fields): Promise<void> {
    const { schema, record_key, source_trace, source_resource_id } = row
    const defs = await fieldsOf(textIn(row, 'schema'))
    const named = new Set(defs?.map((def) => def.name))
    // Fields that the schema has dropped since.
    const fields = Object.fromEntries(Object.entries(row['fields'] as Fields).filter(([name]) => defs === null || named.has(name)))
    const isGiven = row['key_source'] === 'given' || (defs !== null && !makesItsKey(row, defs))
    const input = {
      ...place,
      ...ownerOf(row),
      schema,
      fields,
      source_trace,
      source_resource_id,
      dry_run: dryRun,
      ...(isGiven && { record_key }),
      ...(textIn(row, 'run_id') !== '' && { run_id: row['run_id'] }),
      ...classOf(row),
    }
    if (defs === null && announced.has(textIn(row, 'schema'))) return tally.result('written', '', 'record')
    const { noop } = await client.call('memory.record.write', input, options)
    if (noop === true) tally.result('skipped', 'unchanged')
    else tally.result('written', '', 'record')
  }

  return {
    /** A schema of the export: a dry run registers none, and knows by it what would be there. */
    schema(name: string): void {
      if (dryRun) announced.add(name)
      schemas.delete(name)
    },
    async record(row: Fields, at: Place): Promise<void> {
      tally.found()
      if (!isFields(row['fields'])) return tally.problem({ ...at, code: 'BAD_ROW', message: 'The record has no fields.' })
      await orTold(at, restoring, `record ${textIn(row, 'record_key')}`, () => put(row))
    },
  }
}
