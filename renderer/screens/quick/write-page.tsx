import { useEffect, useRef, useState } from 'react'
import { useNamespaces } from '../../data/namespaces.ts'
import { UndoBar } from '../../parts/undo-bar.tsx'
import { useWindowKeys } from '../../state/keys.ts'
import { hasShell, useShellEvents } from '../../state/shell.ts'
import { useUndo } from '../../state/undo.tsx'
import type { Start } from '../write/use-write.ts'
import { WriteBody } from '../write/write-body.tsx'
import { leaveQuick, openPlace } from './place.ts'
import { QUICK as say } from './strings.ts'

/** Under which name what was typed here is kept: the window has a draft of its own. */
export const QUICK_DRAFT = 'quick'

interface WritePageProps {
  readonly namespace: string
  /** It is stored; the next one begins. */
  readonly onDone: () => void
}

/** Puts one claim down without leaving what one is doing. */
export function WritePage({ namespace, onDone }: WritePageProps) {
  const text = useRef<HTMLTextAreaElement>(null)
  const namespaces = useNamespaces().data ?? []
  const { undo } = useUndo()
  const [start] = useState<Start>({ kind: 'new', namespace, text: '', draft: QUICK_DRAFT })
  useEffect(() => text.current?.focus(), [])
  useShellEvents((event) => {
    if (event.type === 'shell.show') text.current?.focus()
  })
  const close = (): void => leaveQuick(namespace)
  // Wherever in the page the focus is: a button that was pressed may be gone.
  useWindowKeys({ Escape: close, u: undo, 'mod+z': undo })
  return (
    <div className="quick-write">
      <WriteBody
        start={start}
        namespaces={namespaces}
        textRef={text}
        title={<h1>{say.write}</h1>}
        close={
          <button type="button" className="btn sm text" onClick={close}>
            {say.close} <kbd aria-hidden="true">Esc</kbd>
          </button>
        }
        said={<UndoBar />}
        onClose={close}
        onSaved={() => {
          onDone()
          if (hasShell()) close()
        }}
        onOpen={(where, id) => openPlace({ namespace: where || namespace, id })}
      />
    </div>
  )
}
