import { LoomError } from '../../contract/errors.ts'
import {
  DESKTOP_SETTINGS,
  isSettingKey,
  SETTING_KEYS,
  type DesktopSetting,
  type SettingKey,
  type SettingValue,
  type SettingValues,
} from '../../contract/desktop-settings.ts'

/** One setting as it stands. */
export interface SettingView {
  readonly key: SettingKey
  readonly type: string
  readonly value: string | number | boolean
  readonly default: string | number | boolean
  readonly source: 'default' | 'file' | 'env'
  readonly restart: boolean
  readonly description: string
}

/** Keeps what a person set, whole or not at all. */
export interface SettingsFile {
  /** What is stored; members that are no setting of this build are kept as they are. */
  readonly stored: Readonly<Record<string, unknown>>
  write(values: Readonly<Record<string, unknown>>): Promise<void>
}

/** The desktop's own settings. Reads are from memory, and always what is in force. */
export interface DesktopSettings {
  get<K extends SettingKey>(key: K): SettingValue<K>
  /** Null: neither the file nor the environment says. */
  given<K extends SettingKey>(key: K): SettingValue<K> | null
  /** @throws LoomError INVALID_ARGUMENT for a key that is none */
  view(keys?: readonly string[]): SettingView[]
  /**
   * What `set` would change. @throws LoomError INVALID_ARGUMENT naming the key, for one that is none or that the
   * environment holds, and for a value of a wrong type or range
   */
  check(values: Readonly<Record<string, unknown>>): SettingKey[]
  /** Stores all of the values, null meaning the default again. Answers what changed. Throws as `check`, and storing nothing. */
  set(values: Readonly<Record<string, unknown>>): Promise<SettingKey[]>
  /** A setting that needs a restart stands otherwise than when the process started. */
  readonly restartNeeded: boolean
  /** Tells those who follow, once the change is final. */
  tell(changed: readonly SettingKey[]): void
  /** Answers how to stop. */
  on(listener: (changed: readonly SettingKey[]) => void): () => void
}

const refuse = (key: string, message: string): LoomError => new LoomError('INVALID_ARGUMENT', message, { field: `values.${key}` })

function unknownKey(key: string, field: string): LoomError {
  return new LoomError(
    'INVALID_ARGUMENT',
    `There is no setting ${JSON.stringify(key.slice(0, 100))}. The settings are ${SETTING_KEYS.join(', ')}.`,
    {
      field,
    },
  )
}

/**
 * Settings over a file and what the environment holds.
 * @param overrides values of the environment: they win, and cannot be changed here
 * @throws LoomError INVALID_ARGUMENT when the file holds a value of a wrong type or range
 */
export function createSettings(file: SettingsFile, overrides: SettingValues = {}): DesktopSettings {
  const listeners = new Set<(changed: readonly SettingKey[]) => void>()
  let stored = file.stored
  for (const [key, value] of Object.entries(stored)) if (isSettingKey(key)) requireFit(key, value)

  const given = (key: SettingKey): string | number | boolean | null =>
    overrides[key] ?? (stored[key] as string | number | boolean | undefined) ?? null
  const inForce = (key: SettingKey): string | number | boolean => given(key) ?? DESKTOP_SETTINGS[key].default
  const needing = SETTING_KEYS.filter((key) => DESKTOP_SETTINGS[key].restart)
  const started = new Map(needing.map((key) => [key, inForce(key)]))

  function check(values: Readonly<Record<string, unknown>>): SettingKey[] {
    const changed: SettingKey[] = []
    for (const [key, value] of Object.entries(values)) {
      if (!isSettingKey(key)) throw unknownKey(key, `values.${key.slice(0, 100)}`)
      const { env, default: usual }: DesktopSetting<string> | DesktopSetting<number> | DesktopSetting<boolean> = DESKTOP_SETTINGS[key]
      if (overrides[key] !== undefined)
        throw refuse(
          key,
          `${key} is set by the environment variable ${env ?? ''}, which wins. Change or unset it there, and start Loom again.`,
        )
      if (value !== null) requireFit(key, value)
      if ((value ?? usual) !== inForce(key)) changed.push(key)
    }
    return changed
  }

  return {
    get: <K extends SettingKey>(key: K) => inForce(key) as SettingValue<K>,
    given: <K extends SettingKey>(key: K) => given(key) as SettingValue<K> | null,
    view(keys = []) {
      const asked = keys.map((key, at) => {
        if (isSettingKey(key)) return key
        throw unknownKey(key, `keys.${at}`)
      })
      return (asked.length === 0 ? SETTING_KEYS : [...new Set(asked)]).map((key) => {
        const { type, default: usual, restart, description } = DESKTOP_SETTINGS[key]
        const source = overrides[key] !== undefined ? 'env' : stored[key] !== undefined ? 'file' : 'default'
        return { key, type, value: inForce(key), default: usual, source, restart, description }
      })
    },
    check,
    async set(values) {
      const changed = check(values)
      const next = { ...stored, ...values }
      await file.write(Object.fromEntries(Object.entries(next).filter(([, value]) => value !== null)))
      stored = file.stored
      return changed
    },
    get restartNeeded() {
      return needing.some((key) => inForce(key) !== started.get(key))
    },
    tell(changed) {
      if (changed.length > 0) for (const listener of listeners) listener(changed)
    },
    on(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** @throws LoomError INVALID_ARGUMENT naming the key and what it takes */
function requireFit(key: SettingKey, value: unknown): void {
  const { schema, expects } = DESKTOP_SETTINGS[key]
  if (!schema.safeParse(value).success) throw refuse(key, `${key}: it must be ${expects}.`)
}

/** Settings that end with the process, for an engine without a data folder. */
export function memorySettings(): DesktopSettings {
  let stored: Readonly<Record<string, unknown>> = {}
  return createSettings({
    get stored() {
      return stored
    },
    write: async (values) => void (stored = values),
  })
}
