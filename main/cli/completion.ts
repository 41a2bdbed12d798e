import type { OpContract } from '../../shared/contract/declare.ts'
import { REGISTRY } from '../../shared/contract/registry.ts'
import { COMMON_FLAGS } from './arguments.ts'
import { type Field, fieldsOf } from './fields.ts'
import { COMMANDS } from './help.ts'
import { nearest } from './nearest.ts'
import { UsageError } from './usage-error.ts'

const operations: readonly OpContract[] = Object.values(REGISTRY)
const shells: Readonly<Record<string, () => string>> = { bash, zsh, fish }

/**
 * The completion script of a shell. It holds everything it offers: no process is started at a Tab.
 * @throws UsageError for a shell that is not known
 */
export function completionScript(shell: string | undefined): string {
  const script = shell !== undefined && Object.hasOwn(shells, shell) ? shells[shell] : undefined
  if (script) return script()
  const guess = shell && nearest(shell, Object.keys(shells))
  throw new UsageError(`loom completion takes ${Object.keys(shells).join(', ')}.${guess ? ` Did you mean ${guess}?` : ''}`)
}

const firstWords = (): string[] => [...operations.map((op) => op.name), ...Object.keys(COMMANDS), '--help', '--version']
const flagsOf = (fields: readonly Field[]): string[] => [
  ...fields.map((field) => `--${field.name}`),
  ...COMMON_FLAGS.map((flag) => `--${flag}`),
]
const withChoices = (contract: OpContract): Field[] => fieldsOf(contract).filter((field) => field.choices.length > 0)
const single = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

function bash(): string {
  const values = operations.flatMap((op) =>
    withChoices(op).map((field) => `    ${op.name},--${field.name}) words="${field.choices.join(' ')}" ;;`),
  )
  const flags = operations.map((op) => `      ${op.name}) words="${flagsOf(fieldsOf(op)).join(' ')}" ;;`)
  return `# source <(loom completion bash)
_loom() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" op="\${COMP_WORDS[1]}" words=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${firstWords().join(' ')}" -- "$current"))
    return
  fi
  case "$op,$before" in
${values.join('\n')}
    help,help) words="${operations.map((op) => op.name).join(' ')}" ;;
    completion,completion) words="${Object.keys(shells).join(' ')}" ;;
  esac
  if [ -z "$words" ] && [ "\${current#-}" != "$current" ]; then
    case "$op" in
${flags.join('\n')}
    esac
  fi
  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$current")); else COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _loom loom
`
}

function zsh(): string {
  const about = (name: string, text: string) => single(`${name}:${text.replaceAll(':', '\\:')}`)
  const first = [
    ...operations.map((op) => about(op.name, op.summary)),
    ...Object.entries(COMMANDS).map(([name, text]) => about(name, text)),
  ]
  const values = operations.flatMap((op) =>
    withChoices(op).map((field) => `    ${op.name},--${field.name}) compadd -- ${field.choices.join(' ')}; return ;;`),
  )
  const flags = operations.map((op) => `    ${op.name}) compadd -- ${flagsOf(fieldsOf(op)).join(' ')} ;;`)
  return `#compdef loom
# source <(loom completion zsh)
_loom() {
  local -a first
  first=(
${first.map((line) => `    ${line}`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'operation' first
    return
  fi
  case "$words[2],$words[CURRENT-1]" in
${values.join('\n')}
    help,help) compadd -- ${operations.map((op) => op.name).join(' ')}; return ;;
    completion,completion) compadd -- ${Object.keys(shells).join(' ')}; return ;;
  esac
  if [[ "$words[CURRENT]" != -* ]]; then
    _files
    return
  fi
  case "$words[2]" in
${flags.join('\n')}
  esac
}
compdef _loom loom
`
}

function fish(): string {
  const first = [...operations.map((op) => [op.name, op.summary] as const), ...Object.entries(COMMANDS)]
  const flags = operations.flatMap((op) =>
    fieldsOf(op).map((field) => {
      const takes = field.reading === 'boolean' ? '' : field.choices.length > 0 ? ` -x -a ${single(field.choices.join(' '))}` : ' -r'
      return `complete -c loom -n '__fish_seen_subcommand_from ${op.name}' -l ${field.name}${takes}${field.about ? ` -d ${single(field.about)}` : ''}`
    }),
  )
  return [
    '# loom completion fish | source',
    'complete -c loom -f',
    ...first.map(([name, text]) => `complete -c loom -n __fish_use_subcommand -a ${name} -d ${single(text)}`),
    `complete -c loom -n '__fish_seen_subcommand_from completion' -a '${Object.keys(shells).join(' ')}'`,
    `complete -c loom -n '__fish_seen_subcommand_from help' -a '${operations.map((op) => op.name).join(' ')}'`,
    ...COMMON_FLAGS.map((flag) => `complete -c loom -l ${flag}`),
    ...flags,
    '',
  ].join('\n')
}
