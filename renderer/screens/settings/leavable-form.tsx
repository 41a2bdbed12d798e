import { useEffect, useRef, type ComponentProps, type RefObject } from 'react'

/** A form that Escape leaves, wherever in it the focus is. */
export function LeavableForm({ onLeave, ...form }: ComponentProps<'form'> & { readonly onLeave: () => void }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the key is of its fields and buttons; the form only hears it once for all
    <form
      {...form}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
        event.preventDefault()
        onLeave()
      }}
    />
  )
}

/** Gives the focus back to what opened a form once that is closed. */
export function useFocusBack(isOpen: boolean): RefObject<HTMLButtonElement | null> {
  const opener = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    if (wasOpen.current && !isOpen) opener.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  return opener
}
