import type { ReactNode } from 'react'
import type { ReadRow } from '../../data/queries.ts'
import { FactList } from '../../parts/fact-list.tsx'
import { locale, useNow } from '../../state/locale.ts'
import { STATUS_WORDS, TYPE_WORDS, VERDICT_WORDS, actorName, sureness } from '../../text/plain-words.ts'
import { dateAndTime, fullDate, listDate } from '../../text/when.ts'
import { DETAILS as say, READER } from './strings.ts'

interface DetailsProps {
  readonly row: ReadRow
  readonly you: string
  readonly onTag: (tag: string) => void
}

const given = (name: string): boolean => name !== '' && name !== '-'

/** What is known about a memory beside its value. */
export function Details({ row, you, onTag }: DetailsProps) {
  const now = useNow()
  const day = (iso: string): ReactNode => (
    <time dateTime={iso} title={dateAndTime(iso, locale)}>
      {fullDate(iso, locale)}
    </time>
  )
  const lines: [string, ReactNode][] = [
    [say.type, TYPE_WORDS[row.memory_type]],
    [say.status, STATUS_WORDS[row.status]],
    [say.verdict, VERDICT_WORDS[row.conflict_verdict]],
    [
      say.confidence,
      <span key="c" title={String(row.confidence)}>
        {sureness(row.confidence)}
      </span>,
    ],
  ]
  if (row.sensitivity) lines.push([say.sensitivity, row.sensitivity])
  if (row.valid_at) lines.push([say.since, day(row.valid_at)])
  if (row.valid_to) lines.push([say.until, day(row.valid_to)])
  lines.push([say.expires, row.expires_at ? day(row.expires_at) : READER.never])
  lines.push([
    say.writtenBy,
    <bdi key="w" title={row.actor}>
      {row.actor === you ? 'you' : actorName(row.actor)}
    </bdi>,
  ])
  if (given(row.agent)) lines.push([say.agent, <bdi key="a">{row.agent}</bdi>])
  if (row.source_resource_id) lines.push([say.source, <bdi key="s">{row.source_resource_id}</bdi>])
  if (row.tags.length) lines.push([say.tags, <TagList key="t" tags={row.tags} onTag={onTag} />])
  if (row.entities.length) lines.push([say.entities, <bdi key="e">{row.entities.join(', ')}</bdi>])
  if (row.files.length) lines.push([say.files, <bdi key="f">{row.files.join(', ')}</bdi>])
  lines.push([
    say.recalled,
    row.last_recalled_at ? say.recalledLast(row.recall_count, listDate(row.last_recalled_at, now, locale)) : say.neverRecalled,
  ])
  const shown = say.shownBy(row.recall_breakdown ?? {})
  if (shown) lines.push([say.shown, shown])
  lines.push([say.created, day(row.created_at)])
  if (row.updated_at !== row.created_at) lines.push([say.changed, day(row.updated_at)])
  lines.push([say.version, <code key="v">{row.version_text}</code>])
  return <FactList lines={lines} />
}

function TagList({ tags, onTag }: { tags: readonly string[]; onTag: (tag: string) => void }) {
  return (
    <span className="list">
      {tags.map((tag) => (
        <button key={tag} type="button" className="link" onClick={() => onTag(tag)}>
          <bdi>{tag}</bdi>
        </button>
      ))}
    </span>
  )
}
