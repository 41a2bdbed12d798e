import { useEffect, useState, type KeyboardEvent } from 'react'
import type { ShellState, ShortcutState } from '../../../shared/contract/shell-calls.ts'
import { shortcutOf, shortcutWords } from '../../../shared/contract/shortcut.ts'
import { useSetSetting, useSettings, type Setting } from '../../data/settings.ts'
import { useMaySync } from '../../data/sync.ts'
import { Problem } from '../../parts/notes.tsx'
import { IS_MAC } from '../../state/keys.ts'
import { askShell, useShellEvents } from '../../state/shell.ts'
import { messageOf } from '../../text/message-of.ts'
import { OfAnother } from './computer.tsx'
import { DESKTOP as say } from './desktop-strings.ts'
import { SwitchSetting } from './setting-line.tsx'

/** Keys, tray and notifications: only where the page is a window of the desktop's app. */
export function DesktopSection() {
  const may = useMaySync()
  const { data: settings } = useSettings()
  const [shell, setShell] = useState<ShellState | null>(null)
  const look = (): void => void askShell('shell.state').then(setShell, () => {})
  useEffect(look, [])
  useShellEvents((event) => {
    if (event.type === 'shell.state') look()
  })
  if (may === false) return <OfAnother />
  return (
    <>
      <h1 className="title">{say.title}</h1>
      <p className="lead">{say.lead}</p>
      {!settings || !shell ? (
        <p className="q">{say.loading}</p>
      ) : (
        <>
          <section className="part" aria-labelledby="system-keys">
            <h2 className="h3" id="system-keys">
              {say.keys}
            </h2>
            <KeysLine
              name="ui.shortcut_write"
              setting={settings['ui.shortcut_write']}
              label={say.write}
              of={say.ofWrite}
              state={shell.shortcuts.write}
            />
            <KeysLine
              name="ui.shortcut_search"
              setting={settings['ui.shortcut_search']}
              label={say.search}
              of={say.ofSearch}
              state={shell.shortcuts.search}
            />
          </section>
          <section className="part" aria-labelledby="around-window">
            <h2 className="h3" id="around-window">
              {say.around}
            </h2>
            <SwitchSetting setting={settings['ui.tray']} label={say.tray} />
            {!IS_MAC && <SwitchSetting setting={settings['ui.keep_running']} label={say.keep} hint={say.keepHint} />}
            <SwitchSetting
              setting={settings['ui.notifications']}
              label={say.notices}
              hint={shell.notifications ? say.noticesHint : say.noNotices}
            />
          </section>
        </>
      )}
    </>
  )
}

interface KeysLineProps {
  readonly name: 'ui.shortcut_write' | 'ui.shortcut_search'
  readonly setting: Setting
  readonly label: string
  /** Name of a button, for who does not see beside what it stands. */
  readonly of: (act: string) => string
  readonly state: ShortcutState
}

/** Keys that are pressed to be changed. */
function KeysLine({ name, setting, label, of, state }: KeysLineProps) {
  const set = useSetSetting()
  const [pressing, setPressing] = useState(false)
  const [fault, setFault] = useState('')
  const keys = String(setting.value)
  const usual = String(setting.default)
  const save = async (value: string | null): Promise<void> => {
    setPressing(false)
    try {
      await set(name, value)
      setFault('')
    } catch (error) {
      setFault(messageOf(error))
    }
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Tab') return
    event.preventDefault()
    event.stopPropagation()
    if (event.key === 'Escape') return setPressing(false)
    const pressed = shortcutOf(event, IS_MAC)
    if (pressed) void save(pressed)
  }
  return (
    <div className="field keys-line">
      <span className="label">{label}</span>
      {pressing ? (
        <input
          className="input short"
          ref={(input) => input?.focus()}
          readOnly
          aria-label={of(say.press)}
          placeholder={say.press}
          onKeyDown={onKeyDown}
          onBlur={() => setPressing(false)}
        />
      ) : (
        <span className="acts">
          {keys && <kbd>{shortcutWords(keys, IS_MAC)}</kbd>}
          <button type="button" className="btn sm" aria-label={of(say.change)} onClick={() => setPressing(true)}>
            {say.change}
          </button>
          {keys && (
            <button type="button" className="btn sm text" aria-label={of(say.turnOff)} onClick={() => void save('')}>
              {say.turnOff}
            </button>
          )}
          {keys !== usual && (
            <button
              type="button"
              className="btn sm text"
              aria-label={of(say.usual(shortcutWords(usual, IS_MAC)))}
              onClick={() => void save(null)}
            >
              {say.usual(shortcutWords(usual, IS_MAC))}
            </button>
          )}
        </span>
      )}
      <p className={state === 'taken' ? 's warn-words' : 's q'} role="status">
        {pressing ? say.pressHint : say.states[state](shortcutWords(keys, IS_MAC))}
      </p>
      <Problem text={fault} />
    </div>
  )
}
