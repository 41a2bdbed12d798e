import { useSetSetting } from '../../data/settings.ts'
import { useMaySync } from '../../data/sync.ts'
import { Choice } from '../../parts/choice.tsx'
import { KeyList } from '../../parts/key-list.tsx'
import { setPreference, usePreferences } from '../../state/preferences.ts'
import { APPEARANCE as say } from './strings.ts'

/** The few things a person may set about this window, and its keys. */
export function AppearanceSection() {
  const preferences = usePreferences()
  const may = useMaySync()
  const set = useSetSetting()
  return (
    <>
      <h1 className="title">{say.title}</h1>
      <p className="lead">{say.lead}</p>
      <div className="form">
        <Choice
          name="theme"
          label={say.theme}
          value={preferences.theme}
          options={say.themes}
          onChange={(theme) => {
            setPreference('theme', theme)
            // Every window of this computer takes it up, and the next start.
            if (may) void set('ui.theme', theme).catch(() => {})
          }}
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
      <section className="part keys-part" aria-labelledby="all-keys">
        <h2 className="h3 of-keys" id="all-keys">
          {say.keys}
        </h2>
        <KeyList />
      </section>
    </>
  )
}
