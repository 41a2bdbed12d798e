import { useState, type Ref } from 'react'
import type { About } from '../../data/timeline.ts'
import { ChipMenu } from '../../parts/chip-menu.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { TagFilter } from '../memories/tag-filter.tsx'
import type { Range } from './days.ts'
import { suggested } from './nearest.ts'
import { TIMELINE as say } from './strings.ts'

interface HeadProps {
  readonly about: About
  /** Names that the keys speak of, and the tags that they carry, most used first. */
  readonly entities: readonly string[]
  readonly tags: readonly string[]
  readonly range: Range
  readonly span: string
  readonly meta: string
  readonly stale: boolean
  readonly onAbout: (change: Partial<About>) => void
  readonly onRange: (range: Range) => void
  readonly onRead: () => void
  readonly onLeave: () => void
  readonly search: Ref<HTMLInputElement>
  /** The screen is named above it already. */
  readonly named: boolean
}

const MOST_NAMES = 6
const MOST_TAGS = 12
const RANGES = (Object.entries(say.ranges) as [Range, string][]).map(([value, label]) => ({ value, label }))

/** Above the labels: what the timeline is about, and how much of it is shown. */
export function Head(props: HeadProps) {
  const { about, entities, tags, range, span, meta, stale, onAbout, onRange, onRead, onLeave, search, named } = props
  const [typed, setTyped] = useState('')
  const names = suggested(entities, typed, MOST_NAMES)
  const choose = (name: string): void => {
    onAbout({ entity: name })
    setTyped('')
  }
  const take = (): void => {
    if (typed.trim() === '') return
    choose(names[0] ?? typed.trim())
    requestAnimationFrame(onLeave)
  }
  return (
    <div className="tl-head">
      <div className="head">
        {!named && <h1>{say.title}</h1>}
        <ChipMenu name={say.range} label={span} on={false} value={range} options={RANGES} onChoose={(value) => onRange(value as Range)} />
      </div>
      <SearchField
        ref={search}
        label={say.search}
        value={typed}
        onChange={setTyped}
        onLeave={onLeave}
        keys={{ Enter: take, ArrowDown: onLeave }}
      />
      <div className="chips" role="group" aria-label={say.filters}>
        {about.entity !== '' && (
          <button type="button" className="chip on" aria-label={say.clearEntity(about.entity)} onClick={() => onAbout({ entity: '' })}>
            <span>
              <bdi>{say.entity(about.entity)}</bdi>
            </span>
            <b aria-hidden="true">×</b>
          </button>
        )}
        {names.map((name) => (
          <button key={name} type="button" className="chip" aria-label={say.entity(name)} onClick={() => choose(name)}>
            <span>
              <bdi>{name}</bdi>
            </span>
          </button>
        ))}
        {names.length === 0 && <TagFilter tag={about.tag} tags={tags.slice(0, MOST_TAGS)} onTag={(tag) => onAbout({ tag })} />}
      </div>
      <div className="meta">
        <span role="status">{meta}</span>
        {stale ? (
          <button type="button" className="link" onClick={onRead}>
            {say.changed}
          </button>
        ) : (
          <span>{say.order}</span>
        )}
      </div>
    </div>
  )
}
