/** Entry of the thread that reads one document and ends. It is bundled into a file of its own and started by `reader.ts`. */
import { parentPort, workerData } from 'node:worker_threads'
import { isLoomError } from '../../contract/errors.ts'
import { readDocument, type Unread } from './read-document.ts'
import type { DocumentAnswer } from './worker-messages.ts'

async function answer(): Promise<DocumentAnswer> {
  try {
    return { of: 'document', read: await readDocument(workerData as Unread) }
  } catch (error) {
    if (isLoomError(error)) {
      const { field } = error.fields
      return { of: 'document', refused: { code: error.code, message: error.message, field: typeof field === 'string' ? field : '' } }
    }
    return { of: 'document', failed: error instanceof Error ? error.message : String(error) }
  }
}

parentPort?.postMessage(await answer())
