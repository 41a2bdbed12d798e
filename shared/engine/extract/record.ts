import { isLoomError, LoomError } from '../../contract/errors.ts'
import { segmentsOf } from '../../domain/extract/transcript.ts'
import type { Scalar } from '../../domain/records/schema.ts'
import type { PrepareContext } from '../handler.ts'
import { requireSchema, type ActiveSchema } from '../store/record-schemas.ts'
import { recordHead, recordId, storedFields } from '../store/records.ts'
import { runInside } from '../write/run-inside.ts'
import { readFields, readSupported } from './answers.ts'
import { askOf, observedAt, type Clocked, type ExtractAnswer, type ExtractInput, type Model, type Step } from './pipeline.ts'
import { judgePrompt, recordPrompt, type Asking } from './prompting.ts'
import { OP } from './store-facts.ts'

/** One typed record, read out of a transcript (EXT004): what memory.record.write takes, it takes. */

type Values = Readonly<Record<string, Scalar>>

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))

/** @throws LoomError NOT_FOUND naming record_schema */
async function schemaOf({ record_schema }: ExtractInput, { db, identity }: PrepareContext): Promise<ActiveSchema> {
  try {
    return await requireSchema(db, identity, record_schema)
  } catch (error) {
    if (!isLoomError(error) || error.code !== 'NOT_FOUND') throw error
    throw new LoomError('NOT_FOUND', error.message, { ...error.fields, field: 'record_schema' })
  }
}

/** Values that somebody marked as wrong: extraction never sets a field back to them. */
async function withoutRejected(values: Values, { record_schema, memory_key }: ExtractInput, context: PrepareContext): Promise<Values> {
  const { db, identity } = context
  const row = await recordHead(db, identity.org, recordId(identity, record_schema, memory_key))
  const stored = row ? storedFields(row) : {}
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => {
      const held = stored[name]
      return held?.state !== 'rejected' || held.value !== value
    }),
  )
}

/** What the model reads out of each part of the transcript; a later part says more. @throws ModelFailure */
async function readValues(
  input: ExtractInput,
  schema: ActiveSchema,
  steps: ReadonlySet<Step>,
  model: Model,
  clocked: Clocked,
  context: PrepareContext,
): Promise<{ values: Values; segments: number }> {
  const ask = askOf(model, context)
  const asking: Asking = { input, observed: observedAt(input, context.now), known: [], recalled: [] }
  const segments = segmentsOf(input.messages, input.last_messages)
  const names = new Set(schema.fields.map(({ name }) => name))
  const values = new Map<string, Scalar>()
  for (const segment of steps.has('extract') ? segments : []) {
    const read = await clocked('extract', async () => readFields(await ask(recordPrompt(segment, schema.fields, asking))))
    let told = Object.entries(read).filter((field): field is [string, Scalar] => names.has(field[0]) && isScalar(field[1]))
    if (steps.has('judge') && told.length > 0) {
      const claims = told.map(([name, value]) => `${name}: ${String(value)}`)
      const kept = await clocked('judge', async () => readSupported(await ask(judgePrompt(segment, claims, asking))))
      told = told.filter((_field, n) => kept.has(n))
    }
    for (const [name, value] of told) values.set(name, value)
  }
  return { values: Object.fromEntries(values), segments: segments.length }
}

const REASONS: Readonly<Record<string, ExtractAnswer['refused'][number]['reason']>> = {
  SCHEMA_VIOLATION: 'schema',
  MISSING_IDENTITY_FIELD: 'schema',
  INVALID_ARGUMENT: 'schema',
  BLACKLISTED: 'blacklist',
}

type Told = Pick<ExtractAnswer, 'record' | 'refused' | 'segments'>

/**
 * Extracts the record and writes it as memory.record.write does (REC034).
 * @throws LoomError NOT_FOUND for a schema that is not there; ModelFailure
 */
export async function extractRecord(
  input: ExtractInput,
  steps: ReadonlySet<Step>,
  model: Model,
  clocked: Clocked,
  context: PrepareContext,
): Promise<Told> {
  const schema = await schemaOf(input, context)
  const { values, segments } = await readValues(input, schema, steps, model, clocked, context)
  const fields = await withoutRejected(values, input, context)
  if (Object.keys(fields).length === 0) return { record: null, refused: [], segments }
  const told = { schema: input.record_schema, fields, record_key: input.memory_key, run_id: input.run_id, source_class: 'derived' as const }
  try {
    const written = await clocked('write', () => runInside('memory.record.write', told, context.identity, OP, context))
    const { record_key, version, status } = written
    return { record: { record_key, version, status }, refused: [], segments }
  } catch (error) {
    const reason = isLoomError(error) ? REASONS[error.code] : undefined
    if (reason === undefined) throw error
    return { record: null, refused: [{ memory_key: input.memory_key, value: fields, reason }], segments }
  }
}
