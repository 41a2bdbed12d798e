import { Dialog } from '@base-ui/react/dialog'
import { KeyList } from './key-list.tsx'
import { KEYS as say } from './strings.ts'

interface KeysDialogProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly onSettings: () => void
}

/** All keys at a glance. */
export function KeysDialog({ open, onClose, onSettings }: KeysDialogProps) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Popup className="sheet keys-sheet">
          <div className="wh">
            <Dialog.Title>{say.title}</Dialog.Title>
            <span className="acts">
              <button type="button" className="btn sm text" onClick={onSettings}>
                {say.settings}
              </button>
              <Dialog.Close className="btn sm text">
                {say.close} <kbd aria-hidden="true">Esc</kbd>
              </Dialog.Close>
            </span>
          </div>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- longer than a small window: scrolled by keys it has to have the focus */}
          <div className="in" role="region" aria-label={say.title} tabIndex={0}>
            <KeyList />
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
