import { type ChildProcess, spawn } from 'node:child_process'
import { built, cleanEnv } from '../helpers/headless.ts'

export interface ServerProcess {
  readonly child: ChildProcess
  /** Address of the first line on stdout. */
  readonly url: string
  /** Milliseconds from start to that line. */
  readonly startMs: number
  readonly stdout: () => string
  readonly stderr: () => string
  /** The token that it printed, or null. */
  token(): string | null
  /** Signals the process and waits for its end. */
  stop(signal?: NodeJS.Signals): Promise<{ code: number | null; ms: number }>
}

const TOKEN = /\bloom_[a-z2-7]{16}_[A-Za-z0-9_-]{43}\b/

/** Our environment without any setting of Loom's server, and a free port. */
export function serverEnv(settings: Readonly<Record<string, string>>): Record<string, string> {
  const { DATABASE_URL: _url, LOOM_PORT: _port, ...env } = cleanEnv()
  return { ...env, LOOM_SERVER_PORT: '0', ...settings }
}

/** Starts the built server and waits for its address; rejects with what it said when it ends before. */
export async function startServer(settings: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const from = performance.now()
  const child = spawn(process.execPath, [built('sync-server.js')], { env: serverEnv(settings), stdio: ['ignore', 'pipe', 'pipe'] })
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) child[stream].on('data', (data: Buffer) => (said[stream] += data))
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const found = /^Loom server is running at (\S+)\n/.exec(said.stdout)
      if (found?.[1]) resolve(found[1])
    })
    void ended.then(() => reject(new Error(`the server ended with ${child.exitCode}: ${said.stdout}${said.stderr}`)))
  })
  const startMs = performance.now() - from
  return {
    child,
    url,
    startMs,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    token: () => TOKEN.exec(said.stdout)?.[0] ?? null,
    async stop(signal = 'SIGTERM') {
      const begun = performance.now()
      child.kill(signal)
      await ended
      return { code: child.exitCode, ms: performance.now() - begun }
    },
  }
}
