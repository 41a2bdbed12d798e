import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { postgres } from './requirements.ts'

export interface ScratchDatabase {
  /** Address of an empty database of one's own, for DATABASE_URL. */
  readonly url: string
  drop(): Promise<void>
}

/** Makes an empty database on the run's Postgres. Only under `needs(postgres())`. */
export async function scratchDatabase(): Promise<ScratchDatabase> {
  const name = `loom_test_${randomUUID().replaceAll('-', '')}`
  await run(`create database ${name}`)
  const url = new URL(postgres().url)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => run(`drop database ${name} with (force)`) }
}

async function run(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgres().url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
