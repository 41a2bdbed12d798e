import { parseArgs } from 'node:util'
import { Name, SubjectName } from '../shared/contract/common.ts'
import type { MintOptions } from './mint-token.ts'

/** What a command line asks for. */
export type Command =
  | { readonly name: 'serve' }
  | { readonly name: 'help' }
  | { readonly name: 'mint-token'; readonly options: MintOptions }
  /** Comes with a later release. */
  | { readonly name: 'later'; readonly command: string }
  /** Typed wrong. */
  | { readonly name: 'wrong'; readonly reason: string }

const LATER = new Set(['pair', 'backup', 'erasure'])

export const USAGE = `loom server [serve]
  Runs the server. Settings come from the environment: LOOM_SERVER_HOME, LOOM_SERVER_PORT, LOOM_HOST,
  LOOM_PUBLIC_URL, LOOM_ORG, DATABASE_URL and others; docs/server.md lists them.

loom server mint-token --org ORG --admin
loom server mint-token --platform [--org ORG]
  Mints a token on the server's machine and prints it: for an admin of the org, or of the whole platform.
  --subject NAME         who it stands for (admin)
  --kind human|process   a person or a program (human)
  A server on PGlite must be stopped meanwhile; one on Postgres may run.`

/** Reads the arguments after `loom server`. */
export function readCommand(args: readonly string[]): Command {
  const [name = 'serve', ...rest] = args
  if (name === 'help' || args.includes('--help') || args.includes('-h')) return { name: 'help' }
  if (name === 'serve') return rest.length === 0 ? { name } : wrong(`serve takes no argument ${JSON.stringify(rest[0])}.`)
  if (name === 'mint-token') return readMint(rest)
  if (LATER.has(name)) return { name: 'later', command: name }
  return wrong(`loom server has no command ${JSON.stringify(name)}.`)
}

function wrong(reason: string): Command {
  return { name: 'wrong', reason }
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
  if (org !== undefined && (!Name.safeParse(org).success || org === 'dev'))
    return wrong(`${JSON.stringify(org)} is no name of an org: a-z, 0-9, dot, _ and -, and not dev, which every desktop keeps for itself.`)
  if (!SubjectName.min(1).safeParse(subject).success) return wrong('--subject takes 1 to 200 characters, none of them a control character.')
  if (kind !== 'human' && kind !== 'process') return wrong('--kind is human or process.')
  return { name: 'mint-token', options: { org: org ?? '*', role: admin ? 'org_admin' : 'platform_admin', subject, kind } }
}
