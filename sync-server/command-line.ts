import { parseArgs } from 'node:util'
import { Name, ROLES, Str, SubjectName, type Role } from '../shared/contract/common.ts'
import type { MintOptions, PairOptions } from './mint-token.ts'

/** What a command line asks for. */
export type Command =
  | { readonly name: 'serve' }
  | { readonly name: 'help' }
  | { readonly name: 'mint-token'; readonly options: MintOptions }
  | { readonly name: 'pair'; readonly options: PairOptions }
  | { readonly name: 'backup'; readonly label: string }
  | { readonly name: 'backup-list' }
  | { readonly name: 'backup-restore'; readonly backupId: string }
  | { readonly name: 'reapply'; readonly from: string }
  /** Typed wrong. */
  | { readonly name: 'wrong'; readonly reason: string }

export const USAGE = `loom server [serve]
  Runs the server. Settings come from the environment: LOOM_SERVER_HOME, LOOM_SERVER_PORT, LOOM_HOST,
  LOOM_PUBLIC_URL, LOOM_ORG, DATABASE_URL and others; docs/server.md lists them.

loom server mint-token --org ORG --admin
loom server mint-token --platform [--org ORG]
  Mints a token on the server's machine and prints it: for an admin of the org, or of the whole platform.
  --subject NAME         who it stands for (admin)
  --kind human|process   a person or a program (human)

loom server pair [--org ORG] [--subject NAME] [--grant NAMESPACE=ROLE]…
  Makes a single-use code on the server's machine and prints the link that pairs one desktop.
  --org ORG              LOOM_ORG when left out
  --subject NAME         who the desktop stands for (admin)
  --kind human|process   a person or a program (human)
  --grant chat=writer    a role in a namespace, as often as wanted; left out: org_admin of the org
  --minutes N            how long the link holds, 1 to 10080 (60)

loom server backup [--label TEXT]
loom server backup list
loom server backup restore ID --confirm ID
  Makes, lists or restores a backup of a server on PGlite, in its data folder; the last seven are kept. A restore backs up
  what is there first; what was erased since goes again at the next start.

loom server erasure reapply --from FILE
  Carries out again the erasures of a kept erasure-ledger.jsonl, after a database was put back from a dump.

A server on PGlite must be stopped meanwhile; one on Postgres may run. Beside a running server the operations token.mint
and pair.create do the same with an admin's token: loom pair.create, with LOOM_BASE_URL and LOOM_API_KEY.`

/** Reads the arguments after `loom server`. */
export function readCommand(args: readonly string[]): Command {
  const [name = 'serve', ...rest] = args
  if (name === 'help' || args.includes('--help') || args.includes('-h')) return { name: 'help' }
  if (name === 'serve') return rest.length === 0 ? { name } : wrong(`serve takes no argument ${JSON.stringify(rest[0])}.`)
  if (name === 'mint-token') return readMint(rest)
  if (name === 'pair') return readPair(rest)
  if (name === 'erasure') return readErasure(rest)
  if (name === 'backup') return readBackup(rest)
  return wrong(`loom server has no command ${JSON.stringify(name)}.`)
}

function readErasure(args: readonly string[]): Command {
  const [command, ...rest] = args
  if (command !== 'reapply')
    return wrong(`loom server erasure has no command ${JSON.stringify(command ?? '')}. Type erasure reapply --from FILE.`)
  try {
    const { values } = parseArgs({ args: [...rest], options: { from: { type: 'string' } } })
    return values.from
      ? { name: 'reapply', from: values.from }
      : wrong('erasure reapply needs --from: the path of an erasure-ledger.jsonl.')
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error))
  }
}

function wrong(reason: string): Command {
  return { name: 'wrong', reason }
}

function readBackup(args: readonly string[]): Command {
  const text = { type: 'string' } as const
  let parsed: { values: { label?: string; confirm?: string }; positionals: string[] }
  try {
    parsed = parseArgs({ args: [...args], options: { label: text, confirm: text }, allowPositionals: true })
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error))
  }
  const { values, positionals } = parsed
  const [what, backupId = '', ...rest] = positionals
  if (rest.length > 0) return wrong(`backup takes no argument ${JSON.stringify(rest[0])}.`)
  if (what === undefined) {
    const label = values.label ?? ''
    return Str.max(200).safeParse(label).success ? { name: 'backup', label } : wrong('--label takes up to 200 characters.')
  }
  if (what === 'list' && backupId === '') return { name: 'backup-list' }
  if (what !== 'restore') return wrong(`backup has no command ${JSON.stringify(what)}.`)
  if (backupId === '') return wrong('backup restore needs the id of a backup; backup list names them.')
  if (values.confirm !== backupId) return wrong('backup restore needs --confirm with the id of the backup again.')
  return { name: 'backup-restore', backupId }
}

function readMint(args: readonly string[]): Command {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  let values: { org?: string; admin?: boolean; platform?: boolean; subject?: string; kind?: string }
  try {
    ;({ values } = parseArgs({ args: [...args], options: { org: text, admin: flag, platform: flag, subject: text, kind: text } }))
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error))
  }
  const { org, admin = false, platform = false, subject = 'admin', kind = 'human' } = values
  if (admin === platform) return wrong('mint-token needs one of --admin and --platform.')
  if (admin && org === undefined) return wrong('--admin needs --org: the org whose admin it is.')
  const fault = holderFault(org, subject, kind)
  if (fault !== null || (kind !== 'human' && kind !== 'process')) return wrong(fault ?? '')
  return { name: 'mint-token', options: { org: org ?? '*', role: admin ? 'org_admin' : 'platform_admin', subject, kind } }
}

/** What is wrong with an org, subject or kind, or null. */
function holderFault(org: string | undefined, subject: string, kind: string): string | null {
  if (org !== undefined && (!Name.safeParse(org).success || org === 'dev'))
    return `${JSON.stringify(org)} is no name of an org: a-z, 0-9, dot, _ and -, and not dev, which every desktop keeps for itself.`
  if (!SubjectName.min(1).safeParse(subject).success) return '--subject takes 1 to 200 characters, none of them a control character.'
  return kind === 'human' || kind === 'process' ? null : '--kind is human or process.'
}

/** `chat=writer`, or null. org_admin and platform_admin hold for all namespaces alone. */
function readGrant(text: string): readonly [string, Role] | null {
  const [, namespace = '', role = ''] = /^(.*)=([a-z_]+)$/.exec(text) ?? []
  const isRole = (ROLES as readonly string[]).includes(role)
  const isFlat = role === 'org_admin' || role === 'platform_admin'
  if (!isRole || !(namespace === '*' || (Name.safeParse(namespace).success && !isFlat))) return null
  return [namespace, role as Role]
}

function readPair(args: readonly string[]): Command {
  const text = { type: 'string' } as const
  let values: { org?: string; subject?: string; kind?: string; minutes?: string; grant?: string[] }
  try {
    const options = { org: text, subject: text, kind: text, minutes: text, grant: { ...text, multiple: true } } as const
    ;({ values } = parseArgs({ args: [...args], options }))
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error))
  }
  const { org, subject = 'admin', kind = 'human', minutes = '60', grant = ['*=org_admin'] } = values
  const fault = holderFault(org, subject, kind)
  if (fault !== null || (kind !== 'human' && kind !== 'process')) return wrong(fault ?? '')
  if (!/^\d{1,5}$/.test(minutes) || Number(minutes) < 1 || Number(minutes) > 10_080)
    return wrong('--minutes is a whole number from 1 to 10080.')
  const grants: Record<string, Role> = {}
  for (const one of grant) {
    const read = readGrant(one)
    if (read === null) return wrong(`--grant ${JSON.stringify(one)} is not NAMESPACE=ROLE, such as chat=writer or *=org_admin.`)
    grants[read[0]] = read[1]
  }
  return { name: 'pair', options: { ...(org === undefined ? {} : { org }), subject, kind, grants, minutes: Number(minutes) } }
}
