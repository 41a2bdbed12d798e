import type { About, Timeline } from '../../data/timeline.ts'
import { Empty, Failed, LoadingRows } from '../../parts/list-states.tsx'
import { nearest } from './nearest.ts'
import { TIMELINE as say } from './strings.ts'

interface NoLanesProps {
  readonly shown: Timeline
  readonly about: About
  readonly names: readonly string[]
  readonly onAbout: (change: Partial<About>) => void
  readonly onWrite: () => void
}

const MOST_NAMES = 5

/** What stands in the place of the rows when there is none. */
export function NoLanes({ shown, about, names, onAbout, onWrite }: NoLanesProps) {
  if (shown.error && shown.rows.length === 0) return <Failed title={say.failed} message={shown.error.message} onRetry={shown.retry} />
  if (!shown.complete) return <LoadingRows />
  if (about.entity === '' && about.tag === '') {
    return (
      <Empty title={say.empty} text={say.emptyNext}>
        <button type="button" className="btn pri" onClick={onWrite}>
          {say.write} <kbd aria-hidden="true">N</kbd>
        </button>
      </Empty>
    )
  }
  const near = nearest(names, about.entity, MOST_NAMES)
  return (
    <Empty title={say.nothing(about.entity, about.tag)} text={near.length > 0 ? say.near : say.nothingNext}>
      {near.map((name) => (
        <button key={name} type="button" className="btn" onClick={() => onAbout({ entity: name })}>
          <bdi>{name}</bdi>
        </button>
      ))}
      <button type="button" className="btn" onClick={() => onAbout({ entity: '', tag: '' })}>
        {say.everything}
      </button>
    </Empty>
  )
}
