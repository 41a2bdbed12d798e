import { sql } from 'kysely'
import { MemoryKey } from '../../../contract/common.ts'
import type { Input } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import type { memoryImportCurated } from '../../../contract/ops/memory/import_curated.ts'
import { firstCharacters } from '../../../domain/claim/claim-text.ts'
import { defaultPrefix, sectionKeys, type Curated, type Section } from '../../../domain/markdown/sections.ts'
import type { PrepareContext } from '../../handler.ts'
import { sha256 } from '../../store/sha256.ts'
import type { Entry } from '../bulk/entries.ts'
import { contentOf } from '../content.ts'
import { BARE } from './items.ts'

type Call = Input<typeof memoryImportCurated>

const MOST_SECTIONS = 1000
const LONGEST_TRACE = 1024

/** One section of a hand-kept file, read. */
export interface SectionItem extends Entry {
  readonly section: Section
}

/**
 * The sections of a file as entries of a bulk write.
 * @throws LoomError INVALID_ARGUMENT for too many sections, or a prefix that makes no key.
 */
export function sectionItems({ sections, title }: Curated, call: Call, context: PrepareContext): SectionItem[] {
  if (sections.length > MOST_SECTIONS)
    throw new LoomError(
      'INVALID_ARGUMENT',
      `The file has ${sections.length} headings of level ${call.heading_level}; one call takes ${MOST_SECTIONS}. Nothing was stored.`,
      { field: 'markdown' },
    )
  const prefix = call.key_prefix.replace(/\/+$/, '') || defaultPrefix(call.source_resource_id, title, sha256)
  return sectionKeys(sections, prefix, sha256).map((key, index) => {
    if (!MemoryKey.safeParse(key).success)
      throw new LoomError(
        'INVALID_ARGUMENT',
        `key_prefix makes ${firstCharacters(key, 80)} …, which is no key: at most 512 characters, none of them a control character. Shorten it.`,
        { field: 'key_prefix' },
      )
    const section = sections[index] as Section
    const content = contentOf(key, section.text, context.parts.config.valueAdvisoryChars)
    const trace = [...section.above.map((one) => one.text), section.heading].join(' > ')
    const input = {
      ...BARE,
      memory_key: key,
      value: section.text,
      run_id: call.run_id,
      source_trace: firstCharacters(trace, LONGEST_TRACE),
      source_resource_id: call.source_resource_id,
      sensitivity: call.sensitivity,
      dry_run: call.dry_run,
      ...(call.tags && { tags: call.tags }),
    }
    return { index, identity: context.identity, input, content, section }
  })
}

/** Live keys of the same file, at the same identity, whose section is gone. */
export async function missingKeys(keys: readonly string[], call: Call, { db, identity, now }: PrepareContext): Promise<string[]> {
  if (call.source_resource_id === '') return []
  const { rows } = await sql<{ memory_key: string }>`SELECT memory_key FROM loom.memory
    WHERE org = ${identity.org} AND namespace = ${identity.namespace} AND agent = ${identity.agent} AND user_id = ${identity.user_id}
      AND session_id = ${identity.session_id} AND source_resource_id = ${call.source_resource_id} AND erased_by = ''
      AND status IN ('active', 'conflicted', 'duplicate') AND (valid_to IS NULL OR valid_to > ${now})
      AND (expires_at IS NULL OR expires_at > ${now} OR on_expire = 'demote')
    ORDER BY memory_key`.execute(db)
  const there = new Set(keys)
  return rows.map((row) => row.memory_key).filter((key) => !there.has(key))
}
