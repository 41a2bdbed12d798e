import { z } from 'zod'
import { Sensitivity, SourceClass, Str, Tags, U64, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { Collection, DocumentFormat, Sha256In } from '../../knowledge.ts'
import { Metadata, RunId } from '../../run.ts'

export const knowledgeAdd = declareOp({
  name: 'knowledge.add',
  group: 'knowledge',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'bulk',
  sync: 'replay',
  host: 'engine',
  identity: 'exact',
  summary:
    'Stores a document (Markdown, text, HTML or PDF), or replaces the one of the same key. It is cut at its headings, searched and cited by section and lines.',
  advice:
    'A document is no memory: keep one short claim in memory, and the document here. The engine opens no path and no URL; send the text, or the bytes in base64.',
  input: z.object({
    ...id5,
    run_id: RunId.optional(),
    collection: Collection.default('default'),
    text: Str.optional().describe('The document as text; or content_base64.'),
    content_base64: z.string().optional().describe('The bytes of the file in base64; or text. A PDF is sent so.'),
    format: DocumentFormat.optional().describe('Left out: told from the bytes, then the extension of source; else Markdown for a text.'),
    title: Str.min(1).max(300).optional().describe('Left out: its own title, the first heading, the file name, or the first line.'),
    source: Str.max(1024).default('').describe('Path or URL that it comes from; never opened.'),
    document_key: Str.min(1)
      .max(512)
      .optional()
      .describe('Left out: source, else doc: and the first 24 hex digits of the SHA-256 of the bytes.'),
    tags: Tags.default([]),
    metadata: Metadata.default({}),
    sensitivity: Sensitivity.optional().describe('Of all chunks; left out, each chunk has the level that it calls for.'),
    source_class: SourceClass.optional().describe('Downgrade only: external, imported or derived.'),
    if_match_sha256: Sha256In.optional().describe('Replace only a document whose content_sha256 this is.'),
    dry_run: z.boolean().default(false),
  }),
  output: z.object({
    document_id: z.string(),
    document_key: z.string(),
    collection: z.string(),
    title: z.string(),
    format: DocumentFormat,
    content_sha256: z.string(),
    version: U64,
    version_text: z.string(),
    created: z.boolean(),
    noop: z.boolean().describe('Same bytes and fields: nothing was written.'),
    chunks_written: z.int(),
    sections: z.array(z.array(z.string())).max(200).describe('Heading paths, the first 200.'),
    chunks_withheld: z.int().describe('Of high sensitivity: kept, but neither embedded nor searched.'),
    embedded: z.boolean().describe('false: a background job makes the vectors; search by words works at once.'),
    degraded: z.array(z.string()),
    dry_run: z.boolean(),
  }),
  errors: ['PRECONDITION_FAILED'],
  needsOneOf: ['text', 'content_base64'],
  example: {
    input: {
      collection: 'runbooks',
      source: 'docs/deploy.md',
      text: '# Deploy\n## Windows\nProduction deploys run Tuesday and Thursday.',
      tags: ['deploy'],
    },
  },
})
