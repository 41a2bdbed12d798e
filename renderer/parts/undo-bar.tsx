import { useUndo } from '../state/undo.tsx'

/** Says what happened and offers the way back. */
export function UndoBar() {
  const { done, busy, undo, dismiss } = useUndo()
  return (
    <div role="status" aria-live="polite">
      {done && (
        <div className={done.failed ? 'undo bad' : 'undo'}>
          <span>
            {done.subject && (
              <>
                <b>
                  <bdi>{done.subject}</bdi>
                </b>{' '}
              </>
            )}
            {done.said}
          </span>
          <span className="acts">
            {done.undo && (
              <button type="button" className="btn sm" disabled={busy} onClick={undo}>
                Undo <kbd>U</kbd>
              </button>
            )}
            <button type="button" className="btn sm text" onClick={dismiss}>
              Close
            </button>
          </span>
        </div>
      )}
    </div>
  )
}
