import { Popover } from '@base-ui/react/popover'
import { useState } from 'react'
import { FILTERS as say } from './strings.ts'

interface TagFilterProps {
  readonly tag: string
  /** Tags of the rows in sight, most used first. */
  readonly tags: readonly string[]
  readonly onTag: (tag: string) => void
}

/** One tag, typed or taken from what the list shows. */
export function TagFilter({ tag, tags, onTag }: TagFilterProps) {
  const [open, setOpen] = useState(false)
  const choose = (chosen: string): void => {
    onTag(chosen.trim())
    setOpen(false)
  }
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger className={tag ? 'chip on' : 'chip'}>
        <span>
          <bdi>{tag ? say.tag(tag) : say.anyTag}</bdi>
        </span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="start">
          <Popover.Popup className="pop" aria-label={say.tagField}>
            <form
              className="filter-form"
              onSubmit={(event) => {
                event.preventDefault()
                const typed = new FormData(event.currentTarget).get('tag')
                if (typeof typed === 'string') choose(typed)
              }}
            >
              <input
                className="input"
                name="tag"
                defaultValue={tag}
                placeholder={say.tagPlaceholder}
                aria-label={say.tagField}
                maxLength={128}
                autoComplete="off"
                dir="auto"
              />
              {tags.length > 0 && <span className="label">{say.tagsHere}</span>}
              {tags.length > 0 && (
                <div className="acts">
                  {tags.map((known) => (
                    <button key={known} type="button" className={known === tag ? 'chip on' : 'chip'} onClick={() => choose(known)}>
                      <bdi>{known}</bdi>
                    </button>
                  ))}
                </div>
              )}
              {tag && (
                <button type="button" className="btn" onClick={() => choose('')}>
                  {say.anyTag}
                </button>
              )}
            </form>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
