import { Dialog } from '@base-ui/react/dialog'
import { useRef } from 'react'
import type { NamespaceRow } from '../../data/namespaces.ts'
import { WRITE as say } from './strings.ts'
import type { Start } from './use-write.ts'
import { WriteBody } from './write-body.tsx'

interface WriteFormProps {
  readonly start: Start
  readonly namespaces: readonly NamespaceRow[]
  readonly onClose: () => void
  readonly onOpen: (namespace: string, id: string) => void
}

/** Puts one claim down over the screen that is shown, judged before it is stored. */
export function WriteForm({ start, namespaces, onClose, onOpen }: WriteFormProps) {
  const text = useRef<HTMLTextAreaElement>(null)
  /** At once, where the dialogue itself would wait for the next frame: what is typed right after the key that opened it is the claim. */
  const focusText = (): false => {
    text.current?.focus()
    return false
  }
  const leave = (namespace: string, id: string): void => {
    onClose()
    if (id) onOpen(namespace, id)
  }
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()} disablePointerDismissal>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Popup className="sheet write" initialFocus={focusText}>
          <WriteBody
            start={start}
            namespaces={namespaces}
            textRef={text}
            title={<Dialog.Title>{start.kind === 'edit' ? say.edit : say.write}</Dialog.Title>}
            close={
              <Dialog.Close className="btn sm text">
                {say.close} <kbd aria-hidden="true">Esc</kbd>
              </Dialog.Close>
            }
            onClose={onClose}
            onSaved={leave}
            onOpen={leave}
          />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
