import { useState } from 'react'
import { WRITE as say } from './strings.ts'

interface TagsInputProps {
  readonly tags: readonly string[]
  readonly problem: string | undefined
  readonly onTags: (tags: readonly string[]) => void
}

/** Tags as words: Enter or a comma adds one, Backspace in the empty field takes the last away. */
export function TagsInput({ tags, problem, onTags }: TagsInputProps) {
  const [typed, setTyped] = useState('')
  const add = (text: string): void => {
    const tag = text.trim()
    setTyped('')
    if (tag && !tags.some((known) => known.toLowerCase() === tag.toLowerCase())) onTags([...tags, tag])
  }
  return (
    <span className="input tags-input">
      {tags.map((tag) => (
        <button
          key={tag}
          type="button"
          className="tag"
          aria-label={say.removeTag(tag)}
          onClick={() => onTags(tags.filter((other) => other !== tag))}
        >
          <bdi>{tag}</bdi>
          <span aria-hidden="true">×</span>
        </button>
      ))}
      <input
        aria-label={say.tags}
        aria-invalid={problem !== undefined}
        placeholder={tags.length ? '' : say.tagsPlaceholder}
        value={typed}
        maxLength={128}
        dir="auto"
        autoComplete="off"
        onChange={(event) => (event.target.value.endsWith(',') ? add(event.target.value.slice(0, -1)) : setTyped(event.target.value))}
        onBlur={() => add(typed)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) {
            event.preventDefault()
            add(typed)
          } else if (event.key === 'Enter') add(typed)
          else if (event.key === 'Backspace' && typed === '' && tags.length) onTags(tags.slice(0, -1))
        }}
      />
    </span>
  )
}
