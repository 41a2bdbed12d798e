import { z } from 'zod'
import { Name, Str } from './common.ts'
import { isShortcut } from './shortcut.ts'

/** One setting of a desktop, as the reference and settings.get show it. */
export interface DesktopSetting<T extends string | number | boolean> {
  /** Type in the words of the operations reference. */
  readonly type: string
  readonly default: T
  /** Takes effect at the next start. */
  readonly restart: boolean
  readonly description: string
  /** What a value must be, in words that complete "it must be …". */
  readonly expects: string
  readonly schema: z.ZodType<T>
  /** The environment variable that overrides it. */
  readonly env?: string
}

const place = /^[^/]*\/[^/]*$/
const isPlace = (text: string): boolean => place.test(text) && text.split('/').every((part) => Name.safeParse(part).success)

const bool = (value: boolean, description: string, restart = false): DesktopSetting<boolean> => ({
  type: 'bool',
  default: value,
  restart,
  description,
  expects: 'true or false',
  schema: z.boolean(),
})
const int = (
  value: number,
  least: number,
  most: number,
  description: string,
  more: { readonly restart?: boolean; readonly env?: string } = {},
): DesktopSetting<number> => ({
  type: 'int',
  default: value,
  restart: false,
  description,
  expects: `a whole number from ${least} to ${most}`,
  schema: z.int().min(least).max(most),
  ...more,
})

const shortcut = (value: string, description: string): DesktopSetting<string> => ({
  type: 'str',
  default: value,
  restart: false,
  description,
  expects: 'keys such as Mod+Shift+M, Mod being Cmd on a Mac and Ctrl elsewhere, or nothing',
  schema: Str.max(60).refine(isShortcut, 'must be keys such as Mod+Shift+M'),
})

/** Most hours between two backups: ten years. */
const MOST_HOURS = 87_600

/** The desktop's own settings, by name: they lie in `settings.json` in the data folder. */
export const DESKTOP_SETTINGS = {
  default_namespace: {
    type: 'str',
    default: 'dev/local',
    restart: false,
    description: 'Org and namespace, as org/namespace, of calls that name none.',
    expects: 'an org and a namespace, such as dev/local: each 1 to 127 of a-z, 0-9, dot, underscore and hyphen',
    schema: Str.max(255).refine(isPlace, 'must be org/namespace'),
  },
  'embedding.model': {
    type: 'str',
    default: 'all-MiniLM-L6-v2',
    restart: false,
    description: 'Embedding model: its name, the path of its folder, or a hub’s owner/model. A change embeds every memory anew.',
    expects: 'the name or the folder of a model, 1 to 500 characters without a control character',
    schema: z.string().regex(/^(?!\s)[^\p{Cc}\p{Cs}]{1,500}(?<!\s)$/u),
    env: 'LOOM_EMBEDDING_MODEL',
  },
  'server.port': int(7777, 1024, 65_535, 'Port of the local server on loopback.', { restart: true, env: 'LOOM_PORT' }),
  'server.http': bool(true, 'Programs on this computer may call operations over HTTP.', true),
  'server.mcp': bool(true, 'Agents on this computer may connect over MCP.', true),
  'sync.enabled': bool(true, 'Sync with the team server that this computer is connected to; false pauses it.'),
  'backup.auto_hours': int(24, 0, MOST_HOURS, 'Hours between two backups that Loom makes by itself; 0 makes none.'),
  'backup.keep': int(7, 1, 50, 'Backups kept, of all kinds; an older one goes when another is made.'),
  'ui.theme': {
    type: 'enum(system|light|dark)',
    default: 'system',
    restart: false,
    description: 'Theme of the window.',
    expects: 'system, light or dark',
    schema: z.enum(['system', 'light', 'dark']),
  },
  'ui.start_at_login': bool(false, 'Start Loom when you log in.'),
  'ui.shortcut_write': shortcut('Mod+Shift+M', 'Keys that open the small window to write in, anywhere in the system; empty: none.'),
  'ui.shortcut_search': shortcut('Mod+Shift+Space', 'Keys that open quick search, anywhere in the system; empty: none.'),
  'ui.tray': bool(true, 'Show Loom in the tray of the system.'),
  'ui.keep_running': bool(false, 'Go on in the tray when the window is closed.'),
  'ui.notifications': bool(true, 'Tell through the system of what needs you: a change that was refused, an erasure that failed.'),
} as const satisfies Record<string, DesktopSetting<string> | DesktopSetting<number> | DesktopSetting<boolean>>

export type SettingKey = keyof typeof DESKTOP_SETTINGS
export type SettingValue<K extends SettingKey = SettingKey> = z.output<(typeof DESKTOP_SETTINGS)[K]['schema']>
export type SettingValues = { readonly [K in SettingKey]?: SettingValue<K> }

export const SETTING_KEYS = Object.keys(DESKTOP_SETTINGS) as readonly SettingKey[]
export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(DESKTOP_SETTINGS, key)
