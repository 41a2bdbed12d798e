import type { Database } from '../db/database.ts'
import type { Embedder } from '../ports.ts'
import { conversationShelf } from './conversation-shelf.ts'
import { documentShelf } from './document-shelf.ts'
import { createLevelIndex, type LevelIndex } from './level-index.ts'
import { memoryShelf } from './memory-shelf.ts'

/** What is searched besides the rows of memory: documents, saved conversations, shared copies. Nothing is read before the first search. */
export interface Library {
  readonly documents: LevelIndex
  readonly conversations: LevelIndex
  /** Shared copies of rows. */
  readonly shared: LevelIndex
}

export function createLibrary(database: Database, embedder: () => Embedder | null): Library {
  return {
    documents: createLevelIndex(documentShelf, database, embedder),
    conversations: createLevelIndex(conversationShelf, database, embedder),
    shared: createLevelIndex(memoryShelf, database, embedder),
  }
}
