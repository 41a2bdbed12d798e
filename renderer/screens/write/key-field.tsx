import { WRITE as say } from './strings.ts'
import type { Write } from './use-write.ts'

/** The key: suggested from the text until the person writes one. An edited memory keeps its own. */
export function KeyField({ write, fixed }: { write: Write; fixed: boolean }) {
  const { fields, change, key, suggestions, problems, base } = write
  const suggested = fields.key === '' && key !== ''
  return (
    <>
      <div className="field">
        <label className="label" htmlFor="write-key">
          {say.key}
        </label>
        <span className="key-line">
          <input
            id="write-key"
            className="input mono"
            value={fields.key}
            placeholder={suggested ? key : say.keyPlaceholder}
            readOnly={fixed}
            aria-invalid={problems.key !== undefined}
            maxLength={600}
            dir="auto"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            onChange={(event) => change({ key: event.target.value.replace(/^\s+/, '') })}
            onKeyDown={(event) => {
              // Taken, and the focus goes on as Tab always does.
              if (event.key === 'Tab' && !event.shiftKey && suggested) change({ key })
            }}
          />
          {!fixed && (
            <span className="state">{base ? say.holds : suggested ? <kbd>{say.takeKey}</kbd> : fields.key ? say.newKey : ''}</span>
          )}
        </span>
      </div>
      {!fixed && (
        <div className="hint">
          {suggested &&
            suggestions.slice(0, 3).map((candidate, at) => (
              <button key={candidate} type="button" className={at === 0 ? 'chip on' : 'chip'} onClick={() => change({ key: candidate })}>
                <bdi>{candidate}</bdi>
              </button>
            ))}
        </div>
      )}
    </>
  )
}
