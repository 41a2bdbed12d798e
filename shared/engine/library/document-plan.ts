import type { Sensitivity, SourceClass } from '../../contract/common.ts'
import type { Input } from '../../contract/declare.ts'
import { LoomError } from '../../contract/errors.ts'
import { stringifyJson } from '../../contract/json.ts'
import type { knowledgeAdd } from '../../contract/ops/knowledge/add.ts'
import { embeddedText } from '../../domain/knowledge/chunks.ts'
import { formatOf, type Format } from '../documents/format.ts'
import type { ReadDocument } from '../documents/read-document.ts'
import { unreadable } from '../documents/refusal.ts'
import type { PrepareContext } from '../handler.ts'
import type { NewChunk } from '../store/document-chunks.ts'
import type { Document, DocumentPlace } from '../store/documents.ts'
import { STAMPS } from '../write/plan.ts'
import { detectsLevels, higherLevel, withTagFloor } from '../write/sensitivity.ts'

export type AddInput = Input<typeof knowledgeAdd>

/** A document as a call would have it, read and cut. */
export interface DocumentPlan {
  readonly place: DocumentPlace
  readonly format: Format
  readonly title: string
  readonly source: string
  readonly tags: readonly string[]
  readonly metadata: string
  readonly sensitivity: Sensitivity
  readonly stated: boolean
  readonly sourceClass: SourceClass
  readonly runId: string
  readonly read: ReadDocument
  readonly chunks: readonly NewChunk[]
  /** The original bytes; of a text its UTF-8. */
  readonly bytes: Uint8Array
}

const STAMPED: ReadonlySet<string> = new Set([...Object.values(STAMPS), 'system'])

const NOT_BASE64 = /[^A-Za-z0-9+/=\s]/

/** @throws LoomError INVALID_ARGUMENT for what is not base64, PAYLOAD_TOO_LARGE for more than a request may hold. */
function contentOf({ text, content_base64 }: AddInput, mostBytes: number): string | Uint8Array {
  const tooLong = (length: number): LoomError =>
    new LoomError(
      'PAYLOAD_TOO_LARGE',
      `The document has ${length} bytes; at most ${mostBytes} are taken. Cut it, or raise LOOM_MAX_REQUEST_BYTES.`,
      {
        max_bytes: mostBytes,
      },
    )
  if (text !== undefined && content_base64 !== undefined)
    throw new LoomError('INVALID_ARGUMENT', 'text and content_base64 are both given. Send the document as one of them.', {
      field: 'content_base64',
    })
  if (text !== undefined) {
    if (text.length > mostBytes) throw tooLong(text.length)
    return text
  }
  if (content_base64 === undefined)
    throw new LoomError('INVALID_ARGUMENT', 'text or content_base64 is missing. Send the document as one of them.', { field: 'text' })
  const encoded = content_base64
  if (encoded.length * 0.7 > mostBytes) throw tooLong(Math.floor(encoded.length * 0.75))
  if (NOT_BASE64.test(encoded)) throw unreadable('is not base64. Encode the bytes of the file with +, / and =.')
  return new Uint8Array(Buffer.from(encoded, 'base64'))
}

const LONGEST_KEY = 512

function keyOf({ document_key, source }: AddInput, sha256: string): string {
  if (document_key !== undefined) return document_key
  return source !== '' && source.length <= LONGEST_KEY ? source : `doc:${sha256.slice(0, 24)}`
}

/**
 * The class that a call names, else that of who calls.
 * @throws LoomError INVALID_ARGUMENT for one that is stamped from the token alone.
 */
function classOf({ source_class }: AddInput, stamp: SourceClass): SourceClass {
  if (source_class === undefined || !STAMPED.has(source_class)) return source_class ?? stamp
  throw new LoomError(
    'INVALID_ARGUMENT',
    `source_class: ${source_class} is stamped from the token. Send external, imported or derived, or leave it out.`,
    { field: 'source_class' },
  )
}

/** Reads what the call brings; nothing is opened that it names. */
export async function planDocument(input: AddInput, context: PrepareContext): Promise<DocumentPlan> {
  const { parts, identity, caller, db } = context
  const content = contentOf(input, parts.config.maxRequestBytes)
  const format = input.format ?? formatOf(content, input.source)
  const { source, tags } = input
  const read = await parts.documents.read({ content, format, source, title: input.title ?? '' }, caller.signal)
  const settings = await parts.settings.get(db, identity.org, identity.namespace)
  const detects = detectsLevels(settings, parts.config)
  const levelOf = (detected: Sensitivity): Sensitivity => withTagFloor(input.sensitivity ?? (detects ? detected : ''), tags, settings)
  const chunks = read.chunks.map(({ detected, ...chunk }): NewChunk => ({ ...chunk, sensitivity: levelOf(detected) }))
  const { org, namespace, user_id } = identity
  return {
    place: { org, namespace, user_id, collection: input.collection, document_key: keyOf(input, read.sha256) },
    format,
    title: read.title,
    source,
    tags,
    metadata: stringifyJson(input.metadata),
    sensitivity: chunks.reduce<Sensitivity>((level, chunk) => higherLevel(level, chunk.sensitivity), ''),
    stated: input.sensitivity !== undefined,
    sourceClass: classOf(input, STAMPS[caller.claims.kind]),
    runId: input.run_id ?? '',
    read,
    chunks,
    bytes: typeof content === 'string' ? Buffer.from(content) : content,
  }
}

const sameTags = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((tag, at) => tag === b[at])

/** Same bytes and fields as the live document has. */
export function isSameDocument(plan: DocumentPlan, live: Document | null): boolean {
  return (
    live !== null &&
    live.tombstoned_at === null &&
    live.content_sha256 === plan.read.sha256 &&
    live.format === plan.format &&
    live.title === plan.title &&
    live.source === plan.source &&
    live.metadata === plan.metadata &&
    live.sensitivity === plan.sensitivity &&
    live.sensitivity_stated === plan.stated &&
    live.source_class === plan.sourceClass &&
    sameTags(live.tags, plan.tags)
  )
}

/** Chunks that are embedded and searched, with their places in the document. */
export function searchedChunks(chunks: readonly NewChunk[]): { readonly index: number; readonly chunk: NewChunk }[] {
  return chunks.map((chunk, index) => ({ index, chunk })).filter(({ chunk }) => chunk.sensitivity !== 'high')
}

export const embeddedTexts = (title: string, chunks: readonly { readonly chunk: NewChunk }[]): string[] =>
  chunks.map(({ chunk }) => embeddedText(title, chunk.section, chunk.text))

/** Heading paths in order, each once. */
export function sectionsOf(chunks: readonly Pick<NewChunk, 'section'>[], most: number): string[][] {
  const seen = new Map(chunks.map(({ section }) => [JSON.stringify(section), [...section]]))
  return [...seen.values()].filter((section) => section.length > 0).slice(0, most)
}

/** @throws LoomError PRECONDITION_FAILED with the hash that the document has. */
export function passDocument(expected: string | undefined, live: Document | null): void {
  const current = live && live.tombstoned_at === null ? live.content_sha256 : ''
  if (expected === undefined || expected === current) return
  throw new LoomError(
    'PRECONDITION_FAILED',
    'The document changed since it was read. Read it again, decide, and retry with its content_sha256.',
    {
      current_sha256: current,
    },
  )
}
