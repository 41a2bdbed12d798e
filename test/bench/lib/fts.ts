interface Statement {
  run(...values: unknown[]): unknown
  all(...values: unknown[]): unknown[]
}
interface Sqlite {
  exec(text: string): void
  prepare(text: string): Statement
  close(): void
}

export interface Fts {
  /** The ten best rows by BM25 that have any of the words. */
  search(question: string): unknown[]
  close(): void
}

/** The peer's package compiles for a minute, and nothing else needs it: it is not among the dependencies. */
const PACKAGE = 'better-sqlite3'

/** SQLite's full text search over the same texts; null, with a word to the reader, where it is not installed. */
export async function openFts(texts: readonly string[]): Promise<Fts | null> {
  const found = (await import(PACKAGE).catch(() => null)) as { default: new (path: string) => Sqlite } | null
  if (!found) {
    process.stderr.write(`${PACKAGE} is not installed: no SQLite beside ours (npm i --no-save ${PACKAGE}@12.11.1)\n`)
    return null
  }
  const db = new found.default(':memory:')
  db.exec("CREATE VIRTUAL TABLE fact USING fts5(text, tokenize = 'porter unicode61')")
  db.exec('BEGIN')
  const insert = db.prepare('INSERT INTO fact (text) VALUES (?)')
  for (const text of texts) insert.run(text)
  db.exec('COMMIT')
  const select = db.prepare('SELECT rowid, text, bm25(fact) FROM fact WHERE fact MATCH ? ORDER BY rank LIMIT 10')
  return {
    search: (question) => {
      const words = question.match(/[\p{L}\p{N}]+/gu) ?? []
      return select.all(words.map((word) => `"${word}"`).join(' OR '))
    },
    close: () => db.close(),
  }
}
