import { Worker } from 'node:worker_threads'
import type { Relation } from '../ports.ts'
import type { WorkerMessage, WorkerRequest, WorkerSettings } from './worker-messages.ts'

/** What a running worker tells its owner. */
export interface WorkerEvents {
  /** Every message but the answers to calls. */
  onMessage(message: WorkerMessage): void
  /** The worker has ended without being asked to; its calls have been rejected. */
  onEnd(cause: Error): void
}

/** One worker thread and the calls that wait for it. */
export interface WorkerLink {
  /** Texts of unanswered embed calls. */
  readonly waitingTexts: number
  embed(texts: readonly string[], background: boolean): Promise<Float32Array[]>
  relate(pairs: readonly { readonly a: string; readonly b: string }[], background: boolean): Promise<Relation[]>
  /** Ends the worker; calls still waiting are rejected. */
  close(): Promise<void>
}

interface Call {
  readonly texts: number
  resolve(value: never): void
  reject(error: Error): void
}

const CLOSE_MS = 4000

/**
 * Starts a worker. It keeps the process alive only while it loads or owes an answer. Throws when no thread can be
 * started; whatever fails later is told by `onEnd`.
 */
export function startWorker(url: URL | string, settings: WorkerSettings, events: WorkerEvents): WorkerLink {
  // What a library prints to stdout there is dropped: ours belongs to protocols. It is not read either, as a stream
  // being read keeps the process alive.
  const worker = new Worker(url, { workerData: settings, stdout: true, name: 'loom-models' })
  const calls = new Map<number, Call>()
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  let nextId = 1
  let loading = true
  let closing = false
  let over = false
  let cause: Error | null = null

  const holdProcess = () => (loading || calls.size > 0 ? worker.ref() : worker.unref())
  const take = (id: number): Call | undefined => {
    const call = calls.get(id)
    calls.delete(id)
    holdProcess()
    return call
  }
  const send = <T>(texts: number, request: (id: number) => WorkerRequest): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (over || closing) {
        reject(new Error('The model worker has ended.'))
        return
      }
      const id = nextId++
      calls.set(id, { texts, resolve, reject })
      holdProcess()
      worker.postMessage(request(id))
    })

  worker.on('message', (message: WorkerMessage) => {
    if (message.type === 'vectors') take(message.id)?.resolve(message.vectors as never)
    else if (message.type === 'relations') take(message.id)?.resolve(message.relations as never)
    else if (message.type === 'failed') take(message.id)?.reject(new Error(message.message))
    else {
      if (message.type === 'loaded') {
        loading = false
        holdProcess()
      }
      events.onMessage(message)
    }
  })
  worker.on('error', (error) => {
    cause = error instanceof Error ? error : new Error(String(error))
  })
  worker.once('exit', (code) => {
    over = true
    const reason = closing ? 'was closed' : `ended with status ${code}`
    for (const call of calls.values()) call.reject(new Error(`The model worker ${reason} before it answered.`))
    calls.clear()
    if (!closing) events.onEnd(cause ?? new Error(`The model worker ended with status ${code}.`))
  })

  return {
    get waitingTexts() {
      return [...calls.values()].reduce((sum, call) => sum + call.texts, 0)
    },
    embed: (texts, background) => send(texts.length, (id) => ({ type: 'embed', id, background, texts })),
    relate: (pairs, background) => send(0, (id) => ({ type: 'relate', id, background, pairs })),
    async close() {
      closing = true
      if (over) return
      worker.ref()
      worker.postMessage({ type: 'close' } satisfies WorkerRequest)
      const timer = setTimeout(() => void worker.terminate(), CLOSE_MS)
      await exited
      clearTimeout(timer)
    },
  }
}
