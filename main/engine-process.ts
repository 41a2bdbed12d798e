import type { MessageEvent as ElectronMessage } from 'electron'
import { errorBody, isLoomError } from '../shared/contract/errors.ts'
import { OpenFault, type RecoveryView } from '../shared/contract/recovery.ts'
import { createIpcEndpoint } from '../shared/transport/ipc.ts'
import { readEnv, toConfig } from './config.ts'
import type { FromEngine, ToEngine } from './engine-messages.ts'
import { createDesktopHost, type DesktopHost } from './host.ts'
import { viewOf } from '../shared/engine/recovery/survey.ts'
import { placesOf } from './recovery.ts'
import { fileSecrets, type KeyStore } from '../shared/engine/sync/desktop/secrets.ts'
import { createLogger } from '../shared/engine/host/logger.ts'

/** How often the engine looks whether the app that started it is still there, in milliseconds. */
const PARENT_CHECK_MS = 1000

const logger = createLogger('loom-engine')
const parent = process.parentPort
const starter = process.ppid
const send = (message: FromEngine) => parent.postMessage(message)
let host: DesktopHost | null = null
let ending: Promise<void> | null = null

/** Closes the host and ends the process, which the port to the app would keep alive. */
function end(code: number): Promise<void> {
  return (ending ??= (async () => {
    await host?.close()
    // oxlint-disable-next-line unicorn/no-process-exit -- a utility process has no other end: its port holds it
    process.exit(code)
  })())
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void end(0))
// An app that was killed tells nobody.
setInterval(() => {
  if (process.ppid !== starter) void end(0)
}, PARENT_CHECK_MS).unref()

const asked = new Map<number, (text: string | null) => void>()
let lastAsked = 0
/** The key store of the system, which answers in the app's own process. */
function askKey(ask: 'seal' | 'unseal', text: string): Promise<string | null> {
  return new Promise((resolve) => {
    asked.set(++lastAsked, resolve)
    send({ type: 'key', id: lastAsked, ask, text })
  })
}
const keyStore: KeyStore = { seal: (text) => askKey('seal', text), unseal: (text) => askKey('unseal', text) }

/** What there is to decide, where it is the database that cannot be opened. */
async function recoveryOf(error: unknown): Promise<RecoveryView | null> {
  const fault = isLoomError(error) ? OpenFault.safeParse(error.fields['recovery']) : null
  return fault?.success ? await viewOf(placesOf(toConfig(readEnv()).desktop), fault.data) : null
}

let answer: ReturnType<typeof createIpcEndpoint> | null = null
parent.on('message', ({ data }: ElectronMessage) => {
  const message = data as ToEngine
  if (message.type === 'close') void end(0)
  else if (message.type === 'key') {
    asked.get(message.id)?.(message.text)
    asked.delete(message.id)
  } else
    void answer?.(message.call.op, message.call.input, message.call.meta).then((reply) => send({ type: 'reply', id: message.id, reply }))
})

try {
  const { desktop, apps } = toConfig(readEnv())
  host = await createDesktopHost(desktop, {
    logger,
    portMayMove: true,
    showsFirstToken: true,
    apps,
    secrets: fileSecrets(desktop.home, keyStore),
  })
  answer = createIpcEndpoint(host.engine, logger, host.calls, (event) => send({ type: 'event', event }))
  host.engine.on((event) => send({ type: 'event', event }))
  send({ type: 'ready', url: host.url, firstToken: host.firstToken })
} catch (error) {
  logger.error({ err: error }, 'the engine could not start')
  send({ type: 'failed', error: errorBody(error, '').detail, recovery: await recoveryOf(error) })
  await end(1)
}
