import { useId, useState, type FormEvent } from 'react'
import type { SettingKey, SettingValue } from '../../../shared/contract/desktop-settings.ts'
import { useSetSetting, type Setting } from '../../data/settings.ts'
import { Choice } from '../../parts/choice.tsx'
import { useUndo } from '../../state/undo.tsx'
import { messageOf } from '../../text/message-of.ts'
import { COMPUTER as say } from './computer-strings.ts'

/** Saves one setting and says so; answers what stands against it, or "". */
function useSave(label: string) {
  const set = useSetSetting()
  const { say: announce } = useUndo()
  return async <K extends SettingKey>(key: K, value: SettingValue<K>): Promise<string> => {
    try {
      const { restartNeeded } = await set(key, value)
      announce({ said: restartNeeded ? say.savedRestart(label) : say.saved(label) })
      return ''
    } catch (error) {
      return say.refused(messageOf(error))
    }
  }
}

interface LineProps {
  readonly setting: Setting
  readonly label: string
  readonly hint?: string
}

/** A setting that is typed: a number or a name. It is saved when it is sent, not while it is typed. */
export function TypedSetting({ setting, label, hint = '' }: LineProps) {
  const id = useId()
  const save = useSave(label)
  const [typed, setTyped] = useState<string | null>(null)
  const [fault, setFault] = useState('')
  const isFixed = setting.source === 'env'
  const shown = typed ?? String(setting.value)
  const isChanged = typed !== null && typed !== String(setting.value)

  const send = async (): Promise<void> => {
    const value = setting.type === 'int' && /^\d+$/.test(shown.trim()) ? Number(shown.trim()) : shown.trim()
    const refused = await save(setting.key as SettingKey, value as SettingValue)
    setFault(refused)
    if (refused === '') setTyped(null)
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isChanged) void send()
  }
  return (
    <form className="field" onSubmit={submit}>
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <span className="line">
        <input
          id={id}
          className={setting.type === 'int' ? 'input short' : 'input'}
          type="text"
          inputMode={setting.type === 'int' ? 'numeric' : undefined}
          dir="auto"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          readOnly={isFixed}
          value={shown}
          aria-invalid={fault !== ''}
          aria-describedby={`${id}-about`}
          onChange={(event) => {
            setTyped(event.target.value)
            setFault('')
          }}
        />
        {isChanged && (
          <button type="submit" className="btn sm">
            {say.save}
          </button>
        )}
      </span>
      <p id={`${id}-about`} className={fault ? 'problem' : 's q'} role={fault ? 'alert' : undefined}>
        {fault || (isFixed ? say.byEnvironment : [hint, setting.restart ? say.restart : ''].filter(Boolean).join(' '))}
      </p>
    </form>
  )
}

/** A setting that is on or off. */
export function SwitchSetting({ setting, label, hint = '' }: LineProps) {
  const save = useSave(label)
  const [fault, setFault] = useState('')
  return (
    <div className="switch">
      <Choice
        name={setting.key}
        label={label}
        value={setting.value === true ? 'on' : 'off'}
        options={{ on: say.on, off: say.off }}
        onChange={(value) => void save(setting.key as 'sync.enabled', value === 'on').then(setFault)}
      />
      {(fault || hint || setting.restart) && (
        <p className={fault ? 'problem' : 's q'} role={fault ? 'alert' : undefined}>
          {fault || [hint, setting.restart ? say.restart : ''].filter(Boolean).join(' ')}
        </p>
      )}
    </div>
  )
}
