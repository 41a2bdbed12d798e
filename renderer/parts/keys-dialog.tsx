import { Dialog } from '@base-ui/react/dialog'
import { ALT, MOD } from '../state/keys.ts'
import { setPreference, usePreferences } from '../state/preferences.ts'
import { KEYS_DIALOG as say } from './strings.ts'

const GROUPS: readonly { title: string; keys: readonly (readonly [string, readonly string[]])[] }[] = [
  {
    title: say.everywhere,
    keys: [
      ['Search', ['/']],
      ['Write', ['N']],
      ['Memories, Review', [`${MOD} 1`, `${MOD} 2`]],
      ['Undo the last action', ['U', `${MOD} Z`]],
      ['Next pane', ['F6']],
      ['Back, then clear', ['Esc']],
      ['These keys', ['?']],
    ],
  },
  {
    title: say.list,
    keys: [
      ['Next', ['J', '↓']],
      ['Previous', ['K', '↑']],
      ['First, last', ['Home', 'End']],
      ['A page on, back', ['PgDn', 'PgUp']],
      ['Open', ['Enter', 'O']],
    ],
  },
  {
    title: say.memory,
    keys: [
      ['Edit', ['E']],
      ['Pin, unpin', ['P']],
      ['Versions', ['H']],
      ['Retire', ['Delete']],
      ['Restore a retired one', ['R']],
    ],
  },
  {
    title: say.review,
    keys: [
      ['Keep this', ['1']],
      ['Keep that', ['2']],
      ['Keep both', ['3']],
      ['Merge by hand', ['M']],
      ['Save a merge', [`${MOD} Enter`]],
      ['Next, previous', ['J', 'K']],
    ],
  },
  {
    title: say.writing,
    keys: [
      ['The main action', [`${MOD} Enter`]],
      ['Save all the same', [`${ALT} S`]],
      ['Update the other instead', [`${ALT} U`]],
      ['Options', [`${ALT} O`]],
      ['Take the suggested key', ['Tab']],
      ['Close, draft kept', ['Esc']],
    ],
  },
]

interface ChoiceProps<V extends string> {
  readonly name: string
  readonly label: string
  readonly value: V
  readonly options: Readonly<Record<V, string>>
  readonly onChange: (value: V) => void
}

function Choice<V extends string>({ name, label, value, options, onChange }: ChoiceProps<V>) {
  return (
    <fieldset className="choice">
      <legend className="sr">{label}</legend>
      <span className="label" aria-hidden="true">
        {label}
      </span>
      <span className="seg">
        {(Object.keys(options) as V[]).map((option) => (
          <label key={option}>
            <input type="radio" name={name} checked={option === value} onChange={() => onChange(option)} />
            {options[option]}
          </label>
        ))}
      </span>
    </fieldset>
  )
}

/** All keys, and the few things a person may set about this window. */
export function KeysDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const preferences = usePreferences()
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Popup className="sheet keys-sheet">
          <div className="wh">
            <Dialog.Title>{say.title}</Dialog.Title>
            <Dialog.Close className="btn sm text">
              {say.close} <kbd aria-hidden="true">Esc</kbd>
            </Dialog.Close>
          </div>
          <div className="in">
            {GROUPS.map(({ title, keys }) => (
              <section key={title} aria-label={title}>
                <h3 className="h3">{title}</h3>
                <dl className="keys">
                  {keys.map(([what, names]) => (
                    <div key={what}>
                      <dt>{what}</dt>
                      <dd>
                        {names.map((name) => (
                          <kbd key={name}>{name}</kbd>
                        ))}
                      </dd>
                    </div>
                  ))}
                </dl>
              </section>
            ))}
            <Choice
              name="theme"
              label={say.theme}
              value={preferences.theme}
              options={say.themes}
              onChange={(theme) => setPreference('theme', theme)}
            />
            <Choice
              name="direction"
              label={say.direction}
              value={preferences.direction}
              options={say.directions}
              onChange={(direction) => setPreference('direction', direction)}
            />
            <Choice
              name="letters"
              label={say.letters}
              value={preferences.letterKeys ? 'on' : 'off'}
              options={{ on: say.lettersOn, off: say.lettersOff }}
              onChange={(letters) => setPreference('letterKeys', letters === 'on')}
            />
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
