import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { NO_FILTER } from '../../data/filter.ts'
import type { Item } from '../../data/item.ts'
import { useItems, useItemsUnderWay } from '../../data/items.ts'
import { Found } from '../../parts/marked.tsx'
import { useWindowKeys } from '../../state/keys.ts'
import { usePaced } from '../../state/paced.ts'
import { matchedWords } from '../../text/highlight.ts'
import { leaveQuick, openPlace } from './place.ts'
import { QUICK as say } from './strings.ts'

/** So long a letter waits for the answer to the one before it. Milliseconds. */
const WAIT_MS = 250
/** As many as the window shows without scrolling. */
const MOST = 8

/** Finds one memory from anywhere, and opens it in the main window. */
export function SearchPage({ namespace }: { namespace: string }) {
  const field = useRef<HTMLInputElement>(null)
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const asked = usePaced(query.trim(), useItemsUnderWay(), WAIT_MS)
  const found = useItems({ ...NO_FILTER, namespace, everywhere: true, query: asked })
  const items = asked && query.trim() ? found.items.slice(0, MOST) : []
  const here = Math.min(at, Math.max(items.length - 1, 0))
  useEffect(() => field.current?.focus(), [])

  const open = (item: Item | undefined): void => {
    if (item) openPlace({ namespace: item.namespace || namespace, id: item.id })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown') setAt(Math.min(here + 1, Math.max(items.length - 1, 0)))
    else if (event.key === 'ArrowUp') setAt(Math.max(here - 1, 0))
    else if (event.key === 'Enter') open(items[here])
    else return
    event.preventDefault()
  }
  useWindowKeys({ Escape: () => (query ? setQuery('') : leaveQuick(namespace)) })
  const note = (): string => {
    if (!query.trim()) return say.empty
    if (found.error) return say.failed
    if (items.length === 0) return found.shown?.query === asked && !found.loading ? say.nothing : ''
    return found.degraded.includes('embedder') ? say.wordsOnly : ''
  }
  return (
    // Keys of the whole page, wherever in it the focus is.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className="quick-search" onKeyDown={onKeyDown}>
      <div className="wh">
        <h1>{say.search}</h1>
        {say.everywhere}
        <button type="button" className="btn sm text" onClick={() => leaveQuick(namespace)}>
          {say.close} <kbd aria-hidden="true">Esc</kbd>
        </button>
      </div>
      <search className="field-line">
        <input
          ref={field}
          className="input"
          type="text"
          role="combobox"
          aria-label={say.field}
          aria-expanded={items.length > 0}
          aria-controls="quick-results"
          aria-autocomplete="list"
          aria-activedescendant={items.length > 0 ? `quick-${here}` : undefined}
          placeholder={say.field}
          autoComplete="off"
          autoCorrect="off"
          autoCapitalize="off"
          spellCheck={false}
          dir="auto"
          maxLength={4000}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value)
            setAt(0)
          }}
        />
      </search>
      <div className="results" id="quick-results" role="listbox" aria-label={say.results}>
        {items.map((item, index) => (
          // The field holds the focus and names its active row; a row is never a stop of its own.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <div
            key={item.id}
            id={`quick-${index}`}
            role="option"
            aria-selected={index === here}
            className={index === here ? 'hit on' : 'hit'}
            onClick={() => open(item)}
          >
            <div className="k">
              <code dir="auto">{item.key}</code>
              <span>
                <bdi>{item.namespace}</bdi>
              </span>
            </div>
            <div className="v" dir="auto">
              <Found text={item.excerpt} words={matchedWords(item.why)} />
            </div>
          </div>
        ))}
      </div>
      <p className="q note-line" role="status">
        {note()}
      </p>
    </div>
  )
}
