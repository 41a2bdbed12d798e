import type { AppKind } from './app-files.ts'

/** Name of Loom's entry in every app. */
export const ENTRY_NAME = 'loom'

/** What starts `loom mcp` on this computer. */
export interface LoomCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export type Entry = Readonly<Record<string, unknown>>

/** The entry as an app reads it. */
export function entryFor(app: Pick<AppKind, 'typed'>, { command, args, env }: LoomCommand): Entry {
  return {
    ...(app.typed && { type: 'stdio' }),
    command,
    args: [...args],
    ...(Object.keys(env).length > 0 && { env: { ...env } }),
  }
}

/** Why an entry of that name is not Loom's own; which field shows it. */
export function oddityOf(app: Pick<AppKind, 'name'>, found: unknown, wanted: Entry): string {
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return `The entry “${ENTRY_NAME}” is no object.`
  const fields = found as Record<string, unknown>
  const address = ['url', 'serverUrl', 'httpUrl'].find((name) => name in fields)
  if (address !== undefined)
    return `The entry names an address (“${address}”), which answers only while Loom runs. The lines above let ${app.name} start Loom itself.`
  if (fields['command'] !== wanted['command']) return 'The entry starts another program. The lines above start this Loom.'
  if (fields['disabled'] === true) return `The entry is switched off in ${app.name}. The lines above switch it on.`
  return 'The entry is not as this Loom needs it. The lines above put it right.'
}
