import { z } from 'zod'

/**
 * What a host answers to its own window besides operations: what is of this computer, not of a memory. No agent reaches
 * it, over any transport.
 */
export const APP_IDS = ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'windsurf', 'zed'] as const
export type AppId = (typeof APP_IDS)[number]

/** A line of a change as it is shown: other entries by name alone. */
export interface ChangeLine {
  readonly kind: 'same' | 'new' | 'gone'
  readonly text: string
}

/** Name under which the test of an entry asks; it is nobody's agent. */
export const TEST_CLIENT = 'loom-test'

export const TEST_STEPS = ['started', 'tools', 'search'] as const
export type TestStep = (typeof TEST_STEPS)[number]

export interface AppTest {
  readonly at: string
  /** Those that passed, in order, with what they took in milliseconds. */
  readonly passed: readonly { readonly step: TestStep; readonly ms: number; readonly tools: number }[]
  /** Why the next one failed; empty where all passed. */
  readonly cause: string
}

export interface AppCard {
  readonly id: AppId
  readonly name: string
  /**
   * `absent`: not on this computer · `ready`: the entry can be written · `connected`: it stands as Loom writes it ·
   * `differs`: an entry of that name says something else · `unreadable`: the file is left alone, `problem` says why.
   */
  readonly state: 'absent' | 'ready' | 'connected' | 'differs' | 'unreadable'
  /** As people write it, with `~`. */
  readonly file: string
  readonly exists: boolean
  /** Names of other servers in the file. */
  readonly others: readonly string[]
  readonly change: readonly ChangeLine[]
  /** The whole entry as it would stand in a new file. */
  readonly snippet: string
  readonly problem: string
  /** Hash of the file that `change` was made on; to be named by the call that writes. */
  readonly basis: string
  /** Name of the copy that is kept, or would be. */
  readonly copy: string
  /** The last change can be taken back, byte for byte. */
  readonly canUndo: boolean
  /** The step that a test is at, 1 to 3; null while none runs. */
  readonly testing: number | null
  readonly test: AppTest | null
}

/** An agent as the ledger of requests knows it. */
export interface AgentRow {
  readonly agent: string
  /** Namespaces where it called in the last 30 days, latest first. */
  readonly namespaces: readonly string[]
  /** How it last came; `unknown` for what was before this start, over HTTP or from the command line. */
  readonly transport: 'mcp' | 'http' | 'cli' | 'unknown'
  /** A session is open, or it called within the last half an hour. */
  readonly connected: boolean
  readonly first_at: string
  readonly last_at: string
  readonly last_op: string
  /** Of the last seven days: calls, keys written, keys served. */
  readonly calls: number
  readonly wrote: number
  readonly recalled: number
}

/** A key that was served to an agent, latest first. */
export interface RecalledKey {
  readonly memory_key: string
  readonly namespace: string
  readonly at: string
  readonly times: number
}

const App = z.strictObject({ app: z.enum(APP_IDS) })
const Basis = App.extend({ basis: z.string().max(64) })
const Org = z.string().max(127).default('')

/** Inputs of the calls, by name. */
export const HOST_CALLS = {
  'host.apps': z.strictObject({}),
  'host.app_write': Basis,
  'host.app_remove': Basis,
  'host.app_undo': App,
  'host.app_test': App,
  'host.app_stop': App,
  'host.agents': z.strictObject({ org: Org }),
  'host.connected': z.strictObject({ org: Org }),
  'host.agent': z.strictObject({ org: Org, agent: z.string().min(1).max(200), limit: z.int().min(1).max(200).default(8) }),
} as const

export type HostCallName = keyof typeof HOST_CALLS
export const isHostCall = (name: string): name is HostCallName => Object.hasOwn(HOST_CALLS, name)

export interface AppList {
  readonly apps: readonly AppCard[]
  /** Where agents that take an address connect. */
  readonly address: string
}

/** Answers of the calls, by name. */
export interface HostAnswers {
  readonly 'host.apps': AppList
  readonly 'host.app_write': AppList
  readonly 'host.app_remove': AppList
  readonly 'host.app_undo': AppList
  readonly 'host.app_test': AppList
  readonly 'host.app_stop': AppList
  readonly 'host.agents': { readonly agents: readonly AgentRow[] }
  readonly 'host.connected': { readonly connected: number }
  readonly 'host.agent': { readonly recalled: readonly RecalledKey[]; readonly more: boolean }
}
