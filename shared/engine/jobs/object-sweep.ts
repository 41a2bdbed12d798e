import { sql } from 'kysely'
import { noteText, type Job } from './job.ts'

const HOUR_MS = 3_600_000
/** Names that one statement asks for. */
const BATCH = 1000

/**
 * Removes originals that no document names: of a document that was replaced, or of a call that died between the file and
 * its row. One found for the first time is left alone, as its row may be about to be written.
 */
export const objectSweep: Job = {
  name: 'object_sweep',
  everyMs: 6 * HOUR_MS,
  async run(parts, signal, state) {
    const names = await parts.objects.list('')
    const orphans: string[] = []
    for (let from = 0; from < names.length && !signal.aborted; from += BATCH) {
      const batch = names.slice(from, from + BATCH)
      const { rows } = await sql<{ name: string }>`SELECT w.name FROM unnest(${batch}::text[]) AS w(name) WHERE NOT EXISTS (SELECT 1
        FROM loom.knowledge_document d WHERE d.org = rtrim(split_part(w.name, '/', 1), '~') AND d.object = w.name)`.execute(
        parts.database.reader,
      )
      orphans.push(...rows.map((row) => row.name))
    }
    const known = new Set(noteText(state.notes, 'seen').split('\n'))
    for (const name of orphans) if (known.has(name)) await parts.objects.remove(name)
    await state.save({ seen: orphans.filter((name) => !known.has(name)).join('\n') })
    return 'done'
  },
}
