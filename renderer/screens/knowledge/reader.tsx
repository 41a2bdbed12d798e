import { useEffect, useRef, useState } from 'react'
import { useDocument, useKnowledgeActions, type Chunk, type KnowledgeDocument } from '../../data/knowledge.ts'
import { FactList } from '../../parts/fact-list.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { Crumb } from '../memories/crumb.tsx'
import { locale } from '../../state/locale.ts'
import { useUndo } from '../../state/undo.tsx'
import { messageOf } from '../../text/message-of.ts'
import { dateAndTime } from '../../text/when.ts'
import { placeWords, readAddress, sectionWords } from './cite.ts'
import { KNOWLEDGE, READER as say } from './strings.ts'

interface ReaderProps {
  readonly namespace: string
  /** Document, or passage of one, that is open; "" for none. */
  readonly address: string
  readonly onGone: () => void
}

function Empty({ title, next }: { title: string; next: string }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      <p>{next}</p>
    </div>
  )
}

/** A document with its sections. */
export function DocumentReader({ namespace, address, onGone }: ReaderProps) {
  const { id, chunk } = readAddress(address)
  const read = useDocument(namespace, id)
  const chunks = read.data?.pages.flatMap((page) => page.chunk_list ?? []) ?? []
  const first = read.data?.pages[0]
  const seeks = chunk !== null && chunk >= chunks.length && read.hasNextPage && !read.isFetching
  useEffect(() => {
    // The passage that was found may stand further down.
    if (seeks) void read.fetchNextPage()
  }, [seeks, read])
  return (
    <div className="reader-scroll" role="region" aria-label={say.label} data-pane tabIndex={-1}>
      {id === '' ? (
        <Empty title={say.choose} next={say.chooseNext} />
      ) : read.isError ? (
        <Empty title={say.failed} next={read.error.message} />
      ) : !first ? (
        <article className="body" aria-busy="true" />
      ) : !first.found ? (
        <Empty title={say.gone} next={say.goneNext} />
      ) : (
        <Opened
          key={id}
          namespace={namespace}
          document={first as KnowledgeDocument}
          chunks={chunks}
          cited={chunk}
          onMore={read.hasNextPage ? () => void read.fetchNextPage() : null}
          onGone={onGone}
        />
      )}
    </div>
  )
}

interface OpenedProps {
  readonly namespace: string
  readonly document: KnowledgeDocument
  readonly chunks: readonly Chunk[]
  readonly cited: number | null
  readonly onMore: (() => void) | null
  readonly onGone: () => void
}

interface Section {
  readonly path: readonly string[]
  readonly chunks: readonly Chunk[]
}

/** Chunks of one heading after the other stand together. */
function sectionsOf(chunks: readonly Chunk[]): Section[] {
  const sections: { path: readonly string[]; chunks: Chunk[] }[] = []
  for (const chunk of chunks) {
    const last = sections.at(-1)
    if (last && sectionWords(last.path) === sectionWords(chunk.section)) last.chunks.push(chunk)
    else sections.push({ path: chunk.section, chunks: [chunk] })
  }
  return sections
}

const chunkId = (index: number): string => `passage-${index}`

function Opened({ namespace, document, chunks, cited, onMore, onGone }: OpenedProps) {
  const sections = sectionsOf(chunks)
  const here = cited !== null && chunks.some((chunk) => chunk.index === cited)
  const shownFor = useRef<number | null>(null)
  useEffect(() => {
    if (!here || cited === null || shownFor.current === cited) return
    shownFor.current = cited
    window.document.getElementById(chunkId(cited))?.scrollIntoView({ block: 'center' })
  }, [here, cited])
  return (
    <>
      <article className="body document">
        <Crumb namespace={document.collection} name={document.document_key} />
        <h1 className="title" dir="auto">
          {document.title}
        </h1>
        <Acts namespace={namespace} document={document} onGone={onGone} />
        {sections.map((section) => (
          <section key={section.chunks[0]?.index}>
            {section.path.length > 0 && (
              <h2 className="section-head" dir="auto">
                {section.path.slice(0, -1).map((above, at) => (
                  <span key={section.path.slice(0, at + 1).join('\n')} className="qq">
                    {above} ›{' '}
                  </span>
                ))}
                {section.path.at(-1)}
              </h2>
            )}
            {section.chunks.map((chunk) => (
              <Passage key={chunk.index} chunk={chunk} cited={chunk.index === cited} />
            ))}
          </section>
        ))}
        {onMore && (
          <button type="button" className="btn" onClick={onMore}>
            {KNOWLEDGE.more}
          </button>
        )}
      </article>
      <aside className="aside" aria-label={say.details}>
        {sections.some((section) => section.path.length > 0) && (
          <>
            <h2 className="h3" id="document-sections">
              {say.sections}
            </h2>
            <ul className="outline" aria-labelledby="document-sections">
              {sections.map((section) => (
                <li key={section.chunks[0]?.index} style={{ paddingInlineStart: `${Math.max(0, section.path.length - 1) * 12}px` }}>
                  <button
                    type="button"
                    className="link plain"
                    onClick={() =>
                      window.document.getElementById(chunkId(section.chunks[0]?.index ?? 0))?.scrollIntoView({ block: 'center' })
                    }
                  >
                    <bdi>{section.path.at(-1) ?? document.title}</bdi>
                  </button>
                </li>
              ))}
            </ul>
          </>
        )}
        <h2 className="h3">{say.details}</h2>
        <Details document={document} />
      </aside>
    </>
  )
}

function Passage({ chunk, cited }: { chunk: Chunk; cited: boolean }) {
  const [shown, setShown] = useState(false)
  const withheld = chunk.sensitivity === 'high' && !shown
  const place = placeWords(chunk)
  return (
    <div id={chunkId(chunk.index)} className={cited ? 'passage cited' : 'passage'}>
      {place && (
        <small className="at">
          {cited && <span className="badge accent">{say.cited}</span>} {place}
        </small>
      )}
      {withheld ? (
        <p className="note hidden-value">
          <span>{say.withheld}</span>
          <button type="button" className="btn sm" onClick={() => setShown(true)}>
            {say.show}
          </button>
        </p>
      ) : (
        <p className="said" dir="auto">
          {chunk.text}
        </p>
      )}
    </div>
  )
}

function Acts({ namespace, document, onGone }: { namespace: string; document: KnowledgeDocument; onGone: () => void }) {
  const actions = useKnowledgeActions(namespace)
  const undo = useUndo()
  const subject = document.title
  const failed = (error: unknown): void => undo.say({ said: messageOf(error), failed: true })
  const save = async (): Promise<void> => {
    const bytes = await actions.original(document.document_id)
    if (!bytes) {
      undo.say({ said: say.noOriginal, failed: true })
      return
    }
    saveFile([bytes], document.source.split(/[\\/]/).at(-1) || document.title, '')
  }
  const remove = async (): Promise<void> => {
    const back = await actions.remove(document)
    undo.say({ said: say.removed, subject, ...(back && { undo: () => back().then(() => `${subject} ${say.putBack}`) }) })
    onGone()
  }
  return (
    <div className="acts">
      <button type="button" className="btn" onClick={() => void save().catch(failed)}>
        {say.original}
      </button>
      <button type="button" className="btn" onClick={() => void remove().catch(failed)}>
        {say.remove}
      </button>
    </div>
  )
}

function Details({ document }: { document: KnowledgeDocument }) {
  const { collection, source, format, pages, chars, chunks, updated_at, tags, actor } = document
  const lines: readonly (readonly [name: string, value: string])[] = [
    [say.rows.collection, collection],
    ...(source ? [[say.rows.source, source] as const] : []),
    [say.rows.format, [KNOWLEDGE.formats[format], ...(pages === null ? [] : [KNOWLEDGE.pages(pages)])].join(', ')],
    [say.rows.size, `${say.chars(chars)}, ${KNOWLEDGE.chunks(chunks)}`],
    [say.rows.changed, dateAndTime(updated_at, locale)],
    ...(tags.length > 0 ? [[say.rows.tags, tags.join(', ')] as const] : []),
    [say.rows.by, actor.replace(/^[a-z]+:/, '')],
  ]
  return <FactList lines={lines.map(([name, value]) => [name, <bdi key={name}>{value}</bdi>])} />
}
