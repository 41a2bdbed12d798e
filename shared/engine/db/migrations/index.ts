import init from './000001_init.sql?raw'
import guards from './000002_guards.sql?raw'
import review from './000003_review.sql?raw'
import time from './000004_time.sql?raw'
import access from './000005_access.sql?raw'
import shapes from './000006_shapes.sql?raw'
import push from './000007_push.sql?raw'
import desktopSync from './000008_desktop_sync.sql?raw'
import webhooks from './000009_webhooks.sql?raw'
import runs from './000010_runs.sql?raw'
import embeddingCache from './000011_embedding_cache.sql?raw'
import erasure from './000012_erasure.sql?raw'
import records from './000013_records.sql?raw'
import extraction from './000014_extraction.sql?raw'
import knowledge from './000015_knowledge.sql?raw'
import digests from './000016_digests.sql?raw'
import shelf from './000017_shelf.sql?raw'
import servedBy from './000018_served_by.sql?raw'

export interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
}

/** Applied in order, forward only. A released file is never edited: a change is a new file. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: 'init', sql: init },
  { version: 2, name: 'guards', sql: guards },
  { version: 3, name: 'review', sql: review },
  { version: 4, name: 'time', sql: time },
  { version: 5, name: 'access', sql: access },
  { version: 6, name: 'shapes', sql: shapes },
  { version: 7, name: 'push', sql: push },
  { version: 8, name: 'desktop_sync', sql: desktopSync },
  { version: 9, name: 'webhooks', sql: webhooks },
  { version: 10, name: 'runs', sql: runs },
  { version: 11, name: 'embedding_cache', sql: embeddingCache },
  { version: 12, name: 'erasure', sql: erasure },
  { version: 13, name: 'records', sql: records },
  { version: 14, name: 'extraction', sql: extraction },
  { version: 15, name: 'knowledge', sql: knowledge },
  { version: 16, name: 'digests', sql: digests },
  { version: 17, name: 'shelf', sql: shelf },
  { version: 18, name: 'served_by', sql: servedBy },
]
