import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file of the build that the run made. */
export const built = (name: string): string => fileURLToPath(new URL(`../../out/main/${name}`, import.meta.url))

/** The environment of a process under test: ours without any setting of Loom, and a free port. */
export function cleanEnv(settings: Readonly<Record<string, string>> = {}): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !entry[0].startsWith('LOOM_'),
  )
  return { ...Object.fromEntries(kept), LOOM_PORT: '0', ...settings }
}

/** A data folder of one's own, in a folder that `drop` removes. */
export async function scratchHome(): Promise<{ home: string; drop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'loom-test-'))
  return { home: join(folder, 'Loom'), drop: () => rm(folder, { recursive: true, force: true }) }
}

export interface Headless {
  readonly child: ChildProcess
  /** Address of the one line on stdout. */
  readonly url: string
  readonly stdout: () => string
  readonly stderr: () => string
  /** Signals the process and waits for its end. */
  stop(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null; ms: number }>
}

/** What a process printed until it ended by itself. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

function collect(child: ChildProcess): { stdout: () => string; stderr: () => string; ended: Promise<Ended> } {
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) child[stream]?.on('data', (data: Buffer) => (said[stream] += data))
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, ...said })))
  return { stdout: () => said.stdout, stderr: () => said.stderr, ended }
}

/** Runs a built program to its end. */
export async function runBuilt(name: string, args: readonly string[], env: Record<string, string>, stdin = ''): Promise<Ended> {
  const child = spawn(process.execPath, [built(name), ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  const { ended } = collect(child)
  child.stdin.end(stdin)
  return await ended
}

/** Starts the host without a window and waits for its line; rejects with what it said when it ends before. */
export async function startHeadless(env: Record<string, string>): Promise<Headless> {
  const child = spawn(process.execPath, [built('headless.js')], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const { stdout, stderr, ended } = collect(child)
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const found = /^Loom is running at (\S+)\n/.exec(stdout())
      if (found?.[1]) resolve(found[1])
    })
    void ended.then((end) => reject(new Error(`the host ended with ${end.code}: ${end.stdout}${end.stderr}`)))
  })
  return {
    child,
    url,
    stdout,
    stderr,
    async stop(signal = 'SIGTERM') {
      const from = performance.now()
      child.kill(signal)
      await ended
      return { code: child.exitCode, signal: child.signalCode, ms: performance.now() - from }
    },
  }
}

/** One call over HTTP: status and body, the versions left as text digits. */
export async function post(
  url: string,
  op: string,
  input: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${url}/v1/${op}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(input),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
