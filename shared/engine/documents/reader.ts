import { Worker } from 'node:worker_threads'
import { LoomError } from '../../contract/errors.ts'
import { KeyedMutex } from '../db/mutex.ts'
import type { ReadDocument, Unread } from './read-document.ts'
import { unreadable } from './refusal.ts'
import type { DocumentAnswer } from './worker-messages.ts'

/** Reads documents off the thread that answers requests. */
export interface DocumentReader {
  /** @throws LoomError INVALID_ARGUMENT naming what is wrong with the content; CANCELLED when the caller went away. */
  read(unread: Unread, signal?: AbortSignal): Promise<ReadDocument>
}

export interface ReaderOptions {
  /** Where the bundled `worker.ts` is. */
  readonly workerUrl: () => URL | Promise<URL>
  readonly limits?: Partial<ReaderLimits>
}

export interface ReaderLimits {
  /** Longest that a document is read, in milliseconds. */
  readonly timeMs: number
  /** Most memory that reading one may add to the process. */
  readonly bytes: number
}

const LIMITS: ReaderLimits = { timeMs: 60_000, bytes: 1_000_000_000 }
const HEAP_MB = 768
const LOOK_EVERY_MS = 100
/** A text of this many units is read where it came: a thread would take longer to start. */
const SMALL_TEXT = 20_000

const tooMuch = (of: string): string =>
  `takes too much ${of} to read: it is damaged, or made to be unreadable. Save it anew, or add its text instead.`

/** One worker a document, one document at a time: what a hostile file does to its thread ends with it. */
export function createDocumentReader({ workerUrl, limits: own = {} }: ReaderOptions): DocumentReader {
  const limits = { ...LIMITS, ...own }
  const turns = new KeyedMutex()

  function inWorker(url: URL, unread: Unread, signal: AbortSignal | undefined): Promise<ReadDocument> {
    const field = typeof unread.content === 'string' ? 'text' : 'content_base64'
    return new Promise((resolve, reject) => {
      // What a library prints there is dropped: our stdout belongs to protocols.
      const worker = new Worker(url, {
        workerData: unread,
        stdout: true,
        stderr: true,
        name: 'loom-document',
        resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      })
      const before = process.memoryUsage.rss()
      const startedAt = performance.now()
      const end = (settle: () => void): void => {
        clearInterval(watch)
        signal?.removeEventListener('abort', gone)
        void worker.terminate()
        settle()
      }
      const gone = (): void => end(() => reject(new LoomError('CANCELLED', 'The caller went away; nothing was written.')))
      // Buffers of a worker lie outside its heap, which alone its limits hold.
      const watch = setInterval(() => {
        if (performance.now() - startedAt > limits.timeMs) end(() => reject(unreadable(tooMuch('time'), field)))
        else if (process.memoryUsage.rss() - before > limits.bytes) end(() => reject(unreadable(tooMuch('memory'), field)))
      }, LOOK_EVERY_MS)
      signal?.addEventListener('abort', gone)
      worker.on('message', (answer: DocumentAnswer) => {
        if (answer.of !== 'document') return
        end(() => {
          if ('read' in answer) resolve(answer.read)
          else if ('refused' in answer) {
            const { code, message, field: named } = answer.refused
            reject(new LoomError(code, message, { field: named }))
          } else reject(unreadable(`cannot be read as ${unread.format}: ${answer.failed}`, field))
        })
      })
      worker.once('error', () => end(() => reject(unreadable(tooMuch('memory'), field))))
      worker.once('exit', () => end(() => reject(unreadable(tooMuch('memory'), field))))
    })
  }

  return {
    async read(unread, signal) {
      if (typeof unread.content === 'string' && unread.content.length <= SMALL_TEXT && unread.format !== 'html')
        return (await import('./read-document.ts')).readDocument(unread)
      return turns.run('', async () => inWorker(await workerUrl(), unread, signal))
    },
  }
}
