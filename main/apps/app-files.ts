import { homedir } from 'node:os'
import { join } from 'node:path'
import type { AppId } from '../../shared/contract/host-calls.ts'
import type { Environment } from '../../shared/engine/host/settings.ts'

/** Where the files of a person's apps lie. */
export interface Places {
  readonly platform: NodeJS.Platform
  /** The person's home folder. */
  readonly home: string
  /** The system's folder for settings of apps. */
  readonly config: string
  /** Where Claude Code was told to keep its file. */
  readonly claudeCode: string
}

/** A client of MCP: where it keeps its servers, by its own documentation. */
export interface AppKind {
  readonly id: AppId
  readonly name: string
  /** The member of the file that holds the servers by name. */
  readonly section: string
  /** The app reads comments and trailing commas. */
  readonly lenient: boolean
  /** The app names the transport of each server. */
  readonly typed: boolean
  file(places: Places): string
  /** Any of these says that the app is on this computer. */
  traces(places: Places): readonly string[]
}

export function appPlacesOf(env: Environment, platform: NodeJS.Platform, home = homedir()): Places {
  const config =
    platform === 'darwin'
      ? join(home, 'Library', 'Application Support')
      : platform === 'win32'
        ? env['APPDATA'] || join(home, 'AppData', 'Roaming')
        : env['XDG_CONFIG_HOME'] || join(home, '.config')
  return { platform, home, config, claudeCode: env['CLAUDE_CONFIG_DIR'] || home }
}

/** Zed keeps to the folder of Linux on a Mac too. */
const zed = ({ platform, home, config }: Places): string =>
  platform === 'win32' ? join(config, 'Zed') : join(platform === 'darwin' ? join(home, '.config') : config, 'zed')

export const APPS: readonly AppKind[] = [
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    section: 'mcpServers',
    lenient: false,
    typed: false,
    file: ({ config }) => join(config, 'Claude', 'claude_desktop_config.json'),
    traces: ({ config }) => [join(config, 'Claude')],
  },
  {
    id: 'claude-code',
    name: 'Claude Code',
    section: 'mcpServers',
    lenient: false,
    typed: true,
    file: ({ claudeCode }) => join(claudeCode, '.claude.json'),
    traces: ({ home, claudeCode }) => [join(claudeCode, '.claude.json'), join(home, '.claude')],
  },
  {
    id: 'cursor',
    name: 'Cursor',
    section: 'mcpServers',
    lenient: true,
    typed: false,
    file: ({ home }) => join(home, '.cursor', 'mcp.json'),
    traces: ({ home }) => [join(home, '.cursor')],
  },
  {
    id: 'vscode',
    name: 'VS Code',
    section: 'servers',
    lenient: true,
    typed: true,
    file: ({ config }) => join(config, 'Code', 'User', 'mcp.json'),
    traces: ({ config }) => [join(config, 'Code', 'User')],
  },
  {
    id: 'windsurf',
    name: 'Windsurf',
    section: 'mcpServers',
    lenient: true,
    typed: false,
    file: ({ home }) => join(home, '.codeium', 'windsurf', 'mcp_config.json'),
    traces: ({ home }) => [join(home, '.codeium', 'windsurf')],
  },
  {
    id: 'zed',
    name: 'Zed',
    section: 'context_servers',
    lenient: true,
    typed: false,
    file: (places) => join(zed(places), 'settings.json'),
    traces: (places) => [zed(places)],
  },
]
