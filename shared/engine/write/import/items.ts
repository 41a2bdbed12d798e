import type { Input } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { ImportEntry, type memoryImport } from '../../../contract/ops/memory/import.ts'
import type { PrepareContext } from '../../handler.ts'
import { sha256 } from '../../store/sha256.ts'
import { unknownFields, type Entry } from '../bulk/entries.ts'
import { contentOf } from '../content.ts'
import type { ClaimInput } from '../plan.ts'

type Call = Input<typeof memoryImport>
type RawEntry = Call['entries'][number]

/** One fact of an import, read. */
export interface Item extends Entry {
  readonly category: string
  /** Index of the entry that says the same already, or its own. */
  readonly first: number
}

const FIELDS = Object.keys(ImportEntry.shape)
const KNOWN = new Set(FIELDS)

/** The key of a fact: one for each text as given, on every host (IMP010). */
const importKey = (text: string): string => `import:${sha256(text).slice(0, 24)}`

/** What two entries of one text must share. */
function saidOf(raw: RawEntry): string {
  const trace = raw.source_trace || importKey(raw.text)
  return JSON.stringify([raw.tags, raw.valid_at ?? null, trace, raw.category, raw.sensitivity])
}

/** Fields of a claim that no list of facts gives. */
export const BARE = {
  clear_expiry: false,
  pinned: false,
  classify: false,
  if_match_sha256: '',
  proposed: false,
  source_class: 'imported',
} as const

function claimInput(raw: RawEntry, key: string, call: Call): ClaimInput {
  return {
    ...BARE,
    memory_key: key,
    value: raw.text,
    memory_type: 'semantic',
    run_id: call.run_id,
    tags: raw.tags,
    source_trace: raw.source_trace || key,
    sensitivity: raw.sensitivity,
    dry_run: call.dry_run,
    ...(raw.valid_at !== undefined && { valid_at: raw.valid_at }),
  }
}

/**
 * Reads the entries of an import before any is written.
 * @throws LoomError INVALID_ARGUMENT for one text with two sets of fields, `fields` naming both entries (IMP071);
 *   UNKNOWN_ARGUMENT for a near miss of a field.
 */
export function readItems(call: Call, context: PrepareContext): { items: Item[]; ignored: string[] } {
  const ignored = call.entries.flatMap((raw, index) => unknownFields(raw, index, FIELDS, KNOWN))
  const firsts = new Map<string, { readonly index: number; readonly said: string }>()
  const items = call.entries.map((raw, index): Item => {
    const key = importKey(raw.text)
    const said = saidOf(raw)
    const first = firsts.get(raw.text) ?? { index, said }
    firsts.set(raw.text, first)
    if (first.said !== said) {
      const fields = [`entries[${first.index}]`, `entries[${index}]`]
      throw new LoomError(
        'INVALID_ARGUMENT',
        `${fields.join(' and ')} have the same text and other fields. Send it once. Nothing was stored.`,
        {
          field: `entries[${index}]`,
          fields,
        },
      )
    }
    const content = contentOf(key, raw.text, context.parts.config.valueAdvisoryChars)
    return { index, identity: context.identity, input: claimInput(raw, key, call), content, category: raw.category, first: first.index }
  })
  return { items, ignored }
}
