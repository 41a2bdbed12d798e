import type { OpContract } from '../../shared/contract/declare.ts'
import { stringifyJson } from '../../shared/contract/json.ts'
import { REGISTRY } from '../../shared/contract/registry.ts'
import { type Field, fieldsOf } from './fields.ts'
import { pad } from './text-width.ts'

/** Commands besides the operations. */
export const COMMANDS: Readonly<Record<string, string>> = {
  mcp: 'Serve MCP over stdio, through the running app or an engine of its own.',
  server: 'Run or manage the sync server.',
  sync: 'sync --once [--timeout SECONDS] runs one round with the team server; sync status | connect | disconnect | inbox | inbox_decide.',
  import: 'Store what another system knows: import FILE … [--dry-run]; import --help says which files.',
  export: 'Write everything that a namespace holds to a folder: export FOLDER.',
  knowledge: 'Store documents: knowledge add FILE|FOLDER … [--collection NAME].',
  recover: 'When the database cannot be opened: what happened, and the ways on.',
  completion: 'Print the completions for bash, zsh or fish.',
  help: 'Explain an operation, or list them all.',
}

const operations: readonly OpContract[] = Object.values(REGISTRY)

/** What `loom help` prints. */
export function overview(): string {
  const longest = Math.max(...operations.map((op) => op.name.length)) + 2
  const line = ([name, about]: readonly [string, string]) => `  ${pad(name, longest)}${about}`
  return [
    'loom <operation> --field value …',
    '',
    'Operations',
    ...operations.map((op) => line([op.name, op.summary])),
    '',
    'Other commands',
    ...Object.entries(COMMANDS).map(line),
    '',
    'Options',
    line(['--json', 'Print the raw answer.']),
    line(['--help', 'Explain the operation.']),
    line(['--version', 'Print the version.']),
    '',
    'Long values: --value @notes.txt reads a file, --value - standard input. Lists: repeat the flag.',
    'Exit status: 0 done, 1 the operation answered an error, 2 the command was typed wrong.',
    'The app of LOOM_HOME answers when it runs; LOOM_BASE_URL and LOOM_API_KEY name another server.',
  ].join('\n')
}

/** What `loom help <operation>` prints. */
export function explain(contract: OpContract): string {
  const fields = fieldsOf(contract)
  const shown = fields.map((field) => `--${field.name} ${kindOf(field)}`.trimEnd())
  const longest = Math.max(0, ...shown.map((text) => text.length)) + 2
  return [
    `loom ${contract.name}${fields
      .filter((field) => field.required)
      .map((field) => ` --${field.name} ${kindOf(field)}`)
      .join('')}${fields.length ? ' …' : ''}`,
    '',
    contract.summary,
    ...(contract.advice ? ['', contract.advice] : []),
    '',
    ...fields.map((field, at) => `  ${pad(shown[at] ?? '', longest)}${describe(field)}`.trimEnd()),
    ...exampleOf(contract),
    '',
    `${contract.role === 'none' ? 'Needs no token' : `Needs the role ${contract.role}`}; ${contract.kind === 'write' ? 'writes' : 'only reads'}.`,
  ].join('\n')
}

function kindOf(field: Field): string {
  if (field.choices.length > 0) return field.choices.join('|')
  const kind = { text: 'text', boolean: '', integer: 'int', number: 'num', json: 'text|json', object: 'json' }[field.reading]
  return field.list ? `${kind} (repeat)` : kind
}

function describe(field: Field): string {
  const parts = [field.required ? 'Required.' : '', field.about]
  const given = field.default
  if (given !== undefined && given !== '' && given !== false && !(Array.isArray(given) && given.length === 0))
    parts.push(`Default ${stringifyJson(given)}.`)
  if (field.nullable) parts.push('Takes null.')
  return parts.filter(Boolean).join(' ')
}

function exampleOf(contract: OpContract): string[] {
  const input = contract.example?.input
  if (typeof input !== 'object' || input === null) return []
  const flags = Object.entries(input).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => `--${name} ${quote(typeof one === 'string' ? one : stringifyJson(one))}`),
  )
  return ['', 'Example', `  loom ${contract.name} ${flags.join(' ')}`]
}

function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
