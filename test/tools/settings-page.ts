import { SETTINGS as DESKTOP } from '../../main/config.ts'
import { SETTINGS as SERVER } from '../../sync-server/config.ts'

/** docs/settings.md: every variable of the environment that the code reads, as the code has it. */

interface Known {
  readonly name: string
  readonly default: unknown
  readonly about: string
}

const CLIENT = new Set(['LOOM_BASE_URL', 'LOOM_API_KEY'])
const CONFLICTS = new Set([
  'LOOM_BULK_CONFLICT_CHECK_MAX_ENTRIES',
  'LOOM_MEMORY_VERDICT_MIN_CONFIDENCE',
  'LOOM_MEMORY_QUARANTINE_NEGATIVES',
])

/** Sections in their order, and which setting belongs to each: the first that takes it. */
const SECTIONS: readonly { readonly title: string; readonly holds: (name: string) => boolean }[] = [
  { title: 'Change webhooks', holds: (name) => name.startsWith('LOOM_MEMORY_WEBHOOK_') },
  { title: 'Conflicts and duplicates', holds: (name) => CONFLICTS.has(name) },
  { title: 'Models', holds: (name) => /^LOOM_(?:LLM|EMBEDDING)_/.test(name) },
  { title: 'Memory', holds: (name) => name.startsWith('LOOM_MEMORY_') },
  { title: 'Limits', holds: (name) => /^LOOM_(?:MAX|RATE)_/.test(name) },
  { title: 'Erasure and audit', holds: (name) => /ERAS|AUDIT/.test(name) },
  { title: 'Running', holds: () => true },
]

const shown = (value: unknown): string => {
  if (value === '' || (Array.isArray(value) && value.length === 0)) return 'none'
  return Array.isArray(value) ? value.join(',') : String(value)
}

function hostOf(name: string, desktop: ReadonlySet<string>, server: ReadonlySet<string>): string {
  if (CLIENT.has(name)) return 'client'
  return desktop.has(name) && server.has(name) ? 'both' : desktop.has(name) ? 'desktop' : 'server'
}

/** Of a name that both hosts have, the desktop's default, and the server's where it differs. */
function defaultOf(name: string, all: readonly Known[]): string {
  const [first, second] = all.filter((one) => one.name === name)
  if (!first) return ''
  const [own, other] = [shown(first.default), second ? shown(second.default) : undefined]
  return other === undefined || other === own ? own : `desktop ${own}, server ${other}`
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

export function settingsPage(): string {
  const [desktop, server]: Known[][] = [Object.values(DESKTOP), Object.values(SERVER)]
  const all = [...(desktop ?? []), ...(server ?? [])]
  const names = { desktop: new Set((desktop ?? []).map((one) => one.name)), server: new Set((server ?? []).map((one) => one.name)) }
  const rows = new Map<string, string[]>()
  for (const name of [...new Set(all.map((one) => one.name))].toSorted()) {
    const section = SECTIONS.find(({ holds }) => holds(name))?.title ?? ''
    const about = all.find((one) => one.name === name)?.about ?? ''
    const row = `| \`${name}\` | ${cell(defaultOf(name, all))} | ${hostOf(name, names.desktop, names.server)} | ${cell(about)} |`
    rows.set(section, [...(rows.get(section) ?? []), row])
  }
  const sections = SECTIONS.flatMap(({ title }) => {
    const own = rows.get(title) ?? []
    const secrets = title === 'Change webhooks' ? [SECRETS] : []
    return own.length === 0
      ? []
      : [`## ${title}`, '', '| Setting | Default | Host | What it does |', '| --- | --- | --- | --- |', ...own, ...secrets, '']
  })
  return [HEAD, ...sections].join('\n')
}

const SECRETS =
  '| `LOOM_WEBHOOK_SECRET_<ORG>__<NAME>` | none | server | A signing secret of the org, which `webhook.register` names; read at each use. |'

const HEAD = `# Settings

<!-- Made by \`npm run docs\` from the code. -->

Every variable of the environment, with its default. They are read once, at the start; \`true\` and \`false\`, lists with commas. A value of
the wrong type or range stops the start with a message that names the setting; an empty one counts as unset. Host: who reads it (client: the
command line, \`loom mcp\` and the client library). What belongs to one namespace is set by \`namespace.register\`, and what belongs to the
person of a desktop by \`settings.set\`.
`
