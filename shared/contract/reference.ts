import { COMMON_ERRORS, WRITE_ERRORS, type OpContract } from './declare.ts'
import { ERROR_TABLE, type ErrorCode } from './errors.ts'
import { inputSchema, outputSchema, type JsonSchema } from './json-schema.ts'
import { toolNameOf } from './mcp-surface.ts'
import { REGISTRY } from './registry.ts'

/** The pages under docs/ that are made from the contract. */

const GENERATED = '<!-- Made from shared/contract by `npm run docs`. Do not edit. -->'

function boundsOf({ type, minimum, minLength, minItems, maximum, maxLength, maxItems }: JsonSchema): string {
  const bound = (...given: unknown[]): string => String(given.find((value) => typeof value === 'number' || typeof value === 'bigint') ?? '')
  const [least, most] = [bound(minimum, minLength, minItems), bound(maximum, maxLength, maxItems)]
  if (least === '' && most === '') return ''
  const of = type === 'string' ? ' characters' : type === 'array' ? ' entries' : ''
  return ` (${least}..${most}${of})`
}

/** A schema in the short notation of the page: `str`, `int (1..500)`, `list<str>`, `a | b`. */
export function typeText(schema: JsonSchema): string {
  const { type, anyOf, enum: values, const: only } = schema
  if (schema.format === 'uint64') return 'u64'
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (only !== undefined) return JSON.stringify(only)
  if (Array.isArray(anyOf)) return [...new Set((anyOf as JsonSchema[]).map(typeText))].join(' | ')
  if (schema.format === 'date-time' || (typeof schema.pattern === 'string' && schema.pattern.startsWith('^(?!0000)[0-9]{4}-')))
    return 'datetime'
  if (type === 'array') {
    const items = Array.isArray(schema.prefixItems)
      ? `[${(schema.prefixItems as JsonSchema[]).map(typeText).join(', ')}]`
      : typeText((schema.items ?? {}) as JsonSchema)
    return `list<${items}>${boundsOf(schema)}`
  }
  if (type === 'object')
    return schema.properties === undefined ? `map<${typeText((schema.additionalProperties ?? {}) as JsonSchema)}>` : 'object'
  const names: Readonly<Record<string, string>> = { string: 'str', integer: 'int', number: 'num', boolean: 'bool', null: 'null' }
  return typeof type === 'string' ? `${names[type] ?? type}${boundsOf(schema)}` : 'json'
}

function propertiesOf(schema: JsonSchema): [string, JsonSchema][] {
  return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
}

/** The object that a field is, or holds a list of, and how its fields are named on the page. */
function objectIn(name: string, field: JsonSchema): { readonly name: string; readonly schema: JsonSchema } | null {
  const [schema, path] = field.type === 'array' ? [(field.items ?? {}) as JsonSchema, `${name}[]`] : [field, name]
  return schema.type === 'object' && schema.properties !== undefined ? { name: path, schema } : null
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

function inputRows(schema: JsonSchema, op: OpContract, under: string): string[] {
  const required = new Set(schema.required as readonly string[] | undefined)
  return propertiesOf(schema).flatMap(([name, field]) => {
    const notes = [
      required.has(name) ? 'Required.' : '',
      typeof field.description === 'string' ? field.description : '',
      op.notOverMcp?.includes(name) === true ? 'Not offered over MCP.' : '',
    ]
    const byDefault = field.default === undefined ? '' : `\`${JSON.stringify(field.default)}\``
    const inner = under === '' ? objectIn(name, field) : null
    return [
      `| \`${under}${name}\` | ${cell(typeText(field))} | ${byDefault} | ${cell(notes.filter(Boolean).join(' '))} |`,
      ...(inner ? inputRows(inner.schema, op, `${inner.name}.`) : []),
    ]
  })
}

function inputTable(op: OpContract): string[] {
  const rows = inputRows(inputSchema(op), op, '')
  return rows.length === 0 ? ['No fields.'] : ['| field | type | default | |', '|---|---|---|---|', ...rows]
}

const fieldsText = (schema: JsonSchema): string =>
  propertiesOf(schema)
    .map(([name, field]) => `\`${name}\` ${typeText(field)}`)
    .join(' · ')

function answerText(op: OpContract): string[] {
  const schema = outputSchema(op)
  const inner = propertiesOf(schema).flatMap(([name, field]) => objectIn(name, field) ?? [])
  return [`Answers ${fieldsText(schema)}`, ...inner.flatMap((one) => ['', `\`${one.name}\`: ${fieldsText(one.schema)}`])]
}

function errorCodes(op: OpContract): string {
  return op.errors.length === 0 ? 'none of its own' : op.errors.map((code) => `${ERROR_TABLE[code].status} ${code}`).join(', ')
}

function listing(op: OpContract): string {
  if (op.toolset === 'core') return 'listed to every client'
  if (op.toolset === 'all') return `listed under \`?toolset=all\` and \`?toolset=${op.group}\``
  return op.toolset === 'named' ? 'never listed; callable by name and through `loom_op`' : 'not offered'
}

function section(op: OpContract): string[] {
  const kind = [op.kind, ...(op.idempotent ? ['idempotent'] : []), ...(op.audited ? ['audited'] : [])].join(', ')
  return [
    `## ${op.name}`,
    '',
    op.summary,
    ...(op.advice === undefined ? [] : ['', op.advice]),
    '',
    `- Role: ${op.role}${op.role === 'none' ? ', the call carries its own credential' : ''}${op.bound === 'none' ? '; refused to tokens bound to one user or session' : ''}`,
    ...(op.host === 'engine' ? [] : [`- Host: ${op.host}${op.onMultiDesktop === true ? ', and a desktop in multi mode' : ''}`]),
    `- Kind: ${kind}`,
    `- HTTP: \`POST /v1/${op.name}\` · client: \`client.${op.name}\` · rate class ${op.rate}`,
    `- MCP: ${op.toolset === 'none' ? '' : `\`${toolNameOf(op.name)}\`, `}toolset ${op.toolset}, ${listing(op)}`,
    `- Errors besides the common ones: ${errorCodes(op)}`,
    ...(op.needsOneOf === undefined ? [] : [`- Exactly one of: ${op.needsOneOf.map((name) => `\`${name}\``).join(', ')}`]),
    '',
    ...inputTable(op),
    '',
    ...answerText(op),
    ...(op.example === undefined ? [] : ['', '```json', JSON.stringify(op.example.input, null, 2), '```']),
    '',
  ]
}

/** docs/operations.md: every operation with its role, kind, toolset, fields and errors. */
export function operationsPage(): string {
  const ops = Object.values<OpContract>(REGISTRY)
  const codes = (list: readonly ErrorCode[]): string => list.map((code) => `${ERROR_TABLE[code].status} ${code}`).join(', ')
  return [
    '# Operations',
    '',
    GENERATED,
    '',
    'Every operation answers at `POST /v1/<operation>`, as the MCP tool `loom_<operation>` with underscores for dots, as a method of the',
    'client library, and as a command of `loom`. Errors are in [errors.md](errors.md).',
    '',
    'Any answer may carry `ignored_args` (fields of the call that the operation does not have) and `did_you_mean`.',
    '',
    `Every operation may answer ${codes(COMMON_ERRORS)}.`,
    '',
    `Every write may also answer ${codes(WRITE_ERRORS)}.`,
    '',
    '| operation | role | kind | idempotent | audited | toolset | in the `all` listing |',
    '|---|---|---|---|---|---|---|',
    ...ops.map((op) => {
      const yes = (is: boolean): string => (is ? 'yes' : 'no')
      const inAll = op.toolset === 'core' || op.toolset === 'all'
      return `| [${op.name}](#${op.name.replaceAll('.', '')}) | ${op.role} | ${op.kind} | ${yes(op.idempotent)} | ${yes(op.audited)} | ${op.toolset} | ${yes(inAll)} |`
    }),
    '',
    ...ops.flatMap(section),
  ].join('\n')
}

/** docs/errors.md: every code with its status. */
export function errorsPage(): string {
  const ops = Object.values<OpContract>(REGISTRY)
  const raisedBy = (code: ErrorCode): string => {
    if (COMMON_ERRORS.includes(code)) return 'any operation'
    if (WRITE_ERRORS.includes(code)) return 'any write'
    return ops
      .filter((op) => op.errors.includes(code))
      .map((op) => op.name)
      .join(', ')
  }
  return [
    '# Errors',
    '',
    GENERATED,
    '',
    'An answer that is no success has the body `{"detail": {"code", "message", "category", "retryable", "request_id", …}}`, over MCP as',
    'structured content with `isError`. `message` says what was wrong and what to do; compare `code`. Some codes carry more fields, named below.',
    '',
    '| status | code | when | category | retryable | raised by |',
    '|---|---|---|---|---|---|',
    ...(Object.keys(ERROR_TABLE) as ErrorCode[]).map((code) => {
      const { status, when, category, retryable } = ERROR_TABLE[code]
      return `| ${status} | ${code} | ${cell(when)} | ${category} | ${retryable ? 'yes' : 'no'} | ${raisedBy(code)} |`
    }),
    '',
  ].join('\n')
}
