import { COMMON_ERRORS, WRITE_ERRORS, type OpContract } from './declare.ts'
import { ERROR_TABLE, type ErrorCode } from './errors.ts'
import { inputSchema, outputSchema, progressSchema, type JsonSchema } from './json-schema.ts'
import { answersOn, type HostKind } from './hosts.ts'
import { REGISTRY } from './registry.ts'
import { LOOM_VERSION } from './version.ts'

const errorSchema: JsonSchema = {
  type: 'object',
  required: ['detail'],
  properties: {
    detail: {
      type: 'object',
      required: ['code', 'message', 'category', 'retryable', 'request_id'],
      properties: {
        code: { type: 'string', enum: Object.keys(ERROR_TABLE) },
        message: { type: 'string', description: 'What was wrong, and what to do.' },
        category: { type: 'string', enum: ['request', 'auth', 'state', 'limit', 'server'] },
        retryable: { type: 'boolean' },
        retry_after_s: { type: 'number', minimum: 0 },
        field: { type: 'string', description: 'Path of the field that was wrong.' },
        did_you_mean: { anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: { type: 'string' } }] },
        request_id: { type: 'string', description: 'Also in the header X-Request-Id.' },
      },
    },
  },
}

const healthSchema: JsonSchema = {
  type: 'object',
  required: ['status', 'version', 'judge_version', 'embedding_model', 'degraded'],
  properties: {
    status: { type: 'string', enum: ['ok', 'starting', 'degraded', 'stopping'] },
    version: { type: 'string' },
    judge_version: { type: 'string' },
    embedding_model: { type: 'string' },
    degraded: { type: 'array', items: { type: 'string' } },
  },
}

/** Every code that a call of the operation may answer, in the order of the table. */
export function errorsOf(contract: OpContract): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>([...COMMON_ERRORS, ...(contract.kind === 'write' ? WRITE_ERRORS : []), ...contract.errors])
  return (Object.keys(ERROR_TABLE) as ErrorCode[]).filter((code) => codes.has(code))
}

const json = (schema: JsonSchema, example?: unknown): JsonSchema => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
})

const requestIdHeader = { 'X-Request-Id': { schema: { type: 'string' } } }

function byStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const groups = new Map<number, ErrorCode[]>()
  for (const code of codes) groups.set(ERROR_TABLE[code].status, [...(groups.get(ERROR_TABLE[code].status) ?? []), code])
  return groups
}

function errorResponses(codes: readonly ErrorCode[]): JsonSchema {
  const groups = [...byStatus(codes)]
  return Object.fromEntries(groups.map(([status, named]) => [String(status), { $ref: `#/components/responses/${named.join('.')}` }]))
}

/** The responses that `errorResponses` points at, each once. */
function sharedResponses(lists: readonly (readonly ErrorCode[])[]): JsonSchema {
  const groups = lists.flatMap((codes) => [...byStatus(codes)])
  return Object.fromEntries(
    groups.map(([status, named]) => [
      named.join('.'),
      {
        description: named.map((code) => `${code}: ${ERROR_TABLE[code].when}`).join(' '),
        headers: {
          ...requestIdHeader,
          ...(status === 429 || status === 503 ? { 'Retry-After': { schema: { type: 'integer' } } } : {}),
        },
        content: json({ $ref: '#/components/schemas/Error' }),
      },
    ]),
  )
}

/** The same answer as events, for operations that tell of their progress. OpenAPI 3.1 has no words for one event: `x-loom-events` has. */
function eventsOf(contract: OpContract): JsonSchema {
  if (contract.progress === undefined) return {}
  const description =
    'Sent where Accept names text/event-stream and not application/json. Each event has a name and, as `data`, one JSON object: ' +
    'any number of `progress`, then one `answer` (what the JSON answer is) or one `error`, which ends the stream.'
  return {
    'text/event-stream': {
      schema: { type: 'string', description },
      'x-loom-events': {
        progress: progressSchema(contract.progress),
        answer: outputSchema(contract),
        error: { $ref: '#/components/schemas/Error' },
      },
    },
  }
}

function requestOf(contract: OpContract): JsonSchema {
  return {
    ...inputSchema(contract),
    ...(contract.needsOneOf === undefined ? {} : { oneOf: contract.needsOneOf.map((field) => ({ required: [field] })) }),
  }
}

function operationOf(contract: OpContract): JsonSchema {
  const { name, kind, role, idempotent, audited, toolset, rate, summary, advice, example } = contract
  return {
    operationId: name,
    tags: [contract.group],
    summary,
    ...(advice === undefined ? {} : { description: advice }),
    ...(role === 'none' ? { security: [] } : {}),
    'x-loom': { kind, role, idempotent, audited, toolset, rate },
    ...(kind === 'write'
      ? {
          parameters: [
            {
              name: 'Idempotency-Key',
              in: 'header',
              required: false,
              description: 'The same key and body within 24 hours answers the same again and writes nothing.',
              schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
            },
          ],
        }
      : {}),
    requestBody: { required: true, content: json(requestOf(contract), example?.input) },
    responses: {
      '200': {
        description: summary,
        headers: requestIdHeader,
        content: { ...json(outputSchema(contract), example?.output), ...eventsOf(contract) },
      },
      ...errorResponses(errorsOf(contract)),
    },
  }
}

const hostErrors: readonly ErrorCode[] = ['METHOD_NOT_ALLOWED', 'HOST_NOT_ALLOWED', 'INTERNAL']

/**
 * OpenAPI 3.1 of this release, from the registry.
 * @param mode single: no token is asked for; multi: every operation needs one, but for those with a credential of their own.
 * @param host only what it answers by itself is described.
 */
export function openApiDocument(mode: HostKind['mode'], host: HostKind['host'] = 'desktop'): JsonSchema {
  const operations = Object.values<OpContract>(REGISTRY).filter((contract) => answersOn(contract, { mode, host }))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Loom',
      version: LOOM_VERSION,
      summary: 'Memory for AI agents that lives on your own desktop.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    ...(mode === 'multi' ? { security: [{ token: [] }] } : {}),
    paths: {
      ...Object.fromEntries(operations.map((contract) => [`/v1/${contract.name}`, { post: operationOf(contract) }])),
      '/v1/health': {
        get: {
          operationId: 'health',
          summary: 'Whether Loom is up, and what is missing. Needs no token.',
          security: [],
          responses: { '200': { description: 'How it stands.', content: json(healthSchema) }, ...errorResponses(hostErrors) },
        },
      },
      '/v1/openapi.json': {
        get: {
          operationId: 'openapi',
          summary: 'This document. Needs no token.',
          security: [],
          responses: { '200': { description: 'OpenAPI 3.1.', content: json({ type: 'object' }) }, ...errorResponses(hostErrors) },
        },
      },
    },
    components: {
      schemas: { Error: errorSchema },
      responses: sharedResponses([hostErrors, ...operations.map(errorsOf)]),
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'Not asked for in single-user mode.' } },
    },
  }
}
