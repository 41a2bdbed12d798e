import { Client } from '@modelcontextprotocol/client'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { TEST_CLIENT, type AppTest } from '../../shared/contract/host-calls.ts'
import { LOOM_VERSION } from '../../shared/contract/version.ts'
import type { LoomCommand } from './entry.ts'

const LIMIT_MS = 10_000
const STOP_MS = 2000
const MOST_SAID = 400

type Passed = AppTest['passed'][number]

function causeOf(error: unknown, said: string, step: string): string {
  const last = said.trim().split('\n').at(-1)?.slice(0, MOST_SAID) ?? ''
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'The program that the entry names is not there.'
  if (error instanceof TestEnded) return last ? `${error.message} It said: ${last}` : error.message
  const message = error instanceof Error ? error.message : String(error)
  return last && step === 'started' ? `It ended before it answered. It said: ${last}` : message.slice(0, MOST_SAID)
}

class TestEnded extends Error {}

/** Rejects when the time is over or the person stops the test. */
function endOf(signal: AbortSignal, limitMs: number): { readonly over: Promise<never>; stop(): void } {
  let stop = (): void => undefined
  const over = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new TestEnded(`It did not answer within ${limitMs / 1000} seconds.`)), limitMs)
    const leave = (): void => reject(new TestEnded('You stopped the test.'))
    signal.addEventListener('abort', leave, { once: true })
    stop = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
    }
  })
  over.catch(() => undefined)
  return { over, stop }
}

/** Starts what an entry names as its app would, asks for its tools, and searches once. Never rejects. */
export async function tryEntry(
  { command, args, env }: LoomCommand,
  signal: AbortSignal,
  onStep: (step: number) => void,
  limitMs = LIMIT_MS,
): Promise<Omit<AppTest, 'at'>> {
  const passed: Passed[] = []
  const { over, stop } = endOf(signal, limitMs)
  const client = new Client({ name: TEST_CLIENT, version: LOOM_VERSION })
  const transport = new StdioClientTransport({ command, args: [...args], env: { ...getDefaultEnvironment(), ...env }, stderr: 'pipe' })
  let said = ''
  transport.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4 * MOST_SAID)))
  let since = performance.now()
  const pass = (step: Passed['step'], tools = 0): void => {
    passed.push({ step, ms: Math.round(performance.now() - since), tools })
    since = performance.now()
    onStep(passed.length + 1)
  }
  try {
    onStep(1)
    await Promise.race([client.connect(transport), over])
    pass('started')
    const { tools } = await Promise.race([client.listTools(), over])
    if (!tools.some((tool) => tool.name === 'loom_search')) throw new Error('It answers, and offers no search: it is another program.')
    pass('tools', tools.length)
    const found = await Promise.race([client.callTool({ name: 'loom_search', arguments: { query: 'Loom', limit: 1 } }), over])
    if (found.isError === true) throw new Error(refusalIn(found.structuredContent))
    pass('search')
    return { passed, cause: '' }
  } catch (error) {
    return { passed, cause: causeOf(error, said, passed.length === 0 ? 'started' : '') }
  } finally {
    stop()
    await Promise.race([client.close().catch(() => undefined), new Promise((resolve) => setTimeout(resolve, STOP_MS).unref())])
  }
}

function refusalIn(content: unknown): string {
  const { detail } = (content ?? {}) as { detail?: { code?: unknown; message?: unknown } }
  if (detail?.code === 'UNAUTHENTICATED') return 'This Loom asks for a token: add LOOM_API_KEY to the env of the entry.'
  return typeof detail?.message === 'string' ? detail.message : 'The search was refused.'
}
