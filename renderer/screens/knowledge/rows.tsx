import type { KnowledgeDocument, KnowledgeHit } from '../../data/knowledge.ts'
import { Found } from '../../parts/marked.tsx'
import { locale } from '../../state/locale.ts'
import { matchedWords } from '../../text/highlight.ts'
import { foundBecause } from '../../text/plain-words.ts'
import { dateAndTime, listDate } from '../../text/when.ts'
import { placeWords, sectionWords } from './cite.ts'
import { KNOWLEDGE as say } from './strings.ts'

interface RowProps {
  readonly active: boolean
  readonly onChoose: () => void
}

/** A document in the list. */
export function DocumentRow({ document, now, active, onChoose }: RowProps & { document: KnowledgeDocument; now: Date }) {
  const { title, document_key, collection, format, chunks, tags, updated_at } = document
  return (
    <li>
      <button type="button" className={active ? 'doc-row on' : 'doc-row'} aria-current={active ? 'true' : undefined} onClick={onChoose}>
        <span className="k">
          <bdi>{collection}</bdi>
          <span className="badge">{say.formats[format]}</span>
          <time dateTime={updated_at} title={dateAndTime(updated_at, locale)}>
            {listDate(updated_at, now, locale)}
          </time>
        </span>
        <span className="v" dir="auto">
          {title}
        </span>
        <span className="tags">
          <bdi>{[document_key, say.chunks(chunks), ...tags].join(' · ')}</bdi>
        </span>
      </button>
    </li>
  )
}

/** A passage that was found, with its citation. */
export function HitRow({ hit, active, onChoose }: RowProps & { hit: KnowledgeHit }) {
  const place = placeWords(hit)
  // The title stands above it already.
  const section = hit.section[0] === hit.title ? hit.section.slice(1) : hit.section
  return (
    <li>
      <button type="button" className={active ? 'doc-row on' : 'doc-row'} aria-current={active ? 'true' : undefined} onClick={onChoose}>
        <span className="k">
          <bdi>{hit.title}</bdi>
          {place && <span className="at">{place}</span>}
        </span>
        {section.length > 0 && (
          <span className="section" dir="auto">
            {sectionWords(section)}
          </span>
        )}
        <span className="v" dir="auto">
          <Found text={hit.excerpt} words={matchedWords(hit.why)} />
        </span>
        <span className="tags" title={hit.why.join(' · ')}>
          <bdi>{foundBecause(hit.why, 0)}</bdi>
        </span>
      </button>
    </li>
  )
}
