import type { ChangeLine } from '../../shared/contract/host-calls.ts'
import { type Entry, ENTRY_NAME } from './entry.ts'

const MOST_OTHERS = 4
const STEP = '    '

/** Secrets of an entry are not shown, only that they are there. */
function shown(entry: unknown): unknown {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return entry
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [
      name,
      (name === 'env' || name === 'headers') && typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.keys(value).map((key) => [key, key === 'LOOM_HOME' ? (value as Entry)[key] : '…']))
        : value,
    ]),
  )
}

/** Lists of plain values stand in one line, as people write them. */
function written(value: unknown, indent = ''): string {
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object'))
    return `[${value.map((one) => JSON.stringify(one)).join(', ')}]`
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, one]) => `${indent}  ${JSON.stringify(name)}: ${written(one, `${indent}  `)}`)
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${indent}}`
}

const entryLines = (entry: unknown): string[] =>
  `${JSON.stringify(ENTRY_NAME)}: ${written(shown(entry))}`.split('\n').map((line) => STEP + line)

/** The change of a file as people read it: other entries by name alone, for what is in them is none of ours. */
export function changeLines(section: string, others: readonly string[], before: unknown, after: Entry | null): ChangeLine[] {
  const same = (text: string): ChangeLine => ({ kind: 'same', text })
  const more = others.length - MOST_OTHERS
  return [
    same(`{ ${JSON.stringify(section)}: {`),
    ...others.slice(0, MOST_OTHERS).map((name) => same(`${STEP}${JSON.stringify(name)}: { … },`)),
    ...(more > 0 ? [same(`${STEP}… ${more} more`)] : []),
    ...(before === undefined ? [] : entryLines(before).map((text): ChangeLine => ({ kind: 'gone', text }))),
    ...(after === null ? [] : entryLines(after).map((text): ChangeLine => ({ kind: 'new', text }))),
    same('} }'),
  ]
}

export const snippetOf = (section: string, entry: Entry): string => `${written({ [section]: { [ENTRY_NAME]: entry } })}\n`
