import { sql } from 'kysely'
import type { Database } from '../../../shared/engine/db/database.ts'
import type { TestEngine } from '../../helpers/engine.ts'
import { ADMIN, ORG } from './people.ts'

/** Leaves something about one user in every store that a call can fill; each text holds the canary. */
export async function seedUser(loom: TestEngine, namespace: string, user_id: string, canary: string): Promise<void> {
  const at = { org: ORG, namespace, agent: 'scribe', user_id }
  const idempotent = (key: string) => ({ ...ADMIN, idempotencyKey: `${canary}-${namespace}-${key}` })
  const key = (name: string) => `${canary}/${name}`
  const { run_id } = await loom.call('run.start', { ...at, goal: `Find ${canary}.` }, ADMIN)
  await loom.call(
    'memory.set',
    { ...at, run_id, memory_key: key('tea'), value: `${canary} drinks green tea.`, relations: [[canary, 'drinks', 'tea']] },
    idempotent('tea'),
  )
  await loom.call('memory.set', { ...at, memory_key: key('tea'), value: `${canary} drinks black tea now.` }, ADMIN)
  await loom.call('memory.set', { ...at, memory_key: key('city'), value: `${canary} lives in Oslo.` }, ADMIN)
  await loom.call(
    'memory.set',
    { ...at, memory_key: key('long'), value: `${canary} said: ${'a long story of many words. '.repeat(120)}` },
    ADMIN,
  )
  await loom.call(
    'memory.link',
    { ...at, memory_key: key('tea'), to_key: key('city'), relation: 'see_also', note: `about ${canary}` },
    ADMIN,
  )
  await loom.call('namespace.register_category', { org: ORG, namespace, category: 'habits' }, ADMIN)
  await loom.call('memory.assign_category', { org: ORG, namespace, memory_key: key('tea'), category: 'habits' }, ADMIN)
  await loom.call('memory.outcome', { ...at, memory_key: key('tea'), run_id, outcome: 'positive', note: `${canary} liked it` }, ADMIN)
  await loom.call('memory.get', { ...at, run_id, memory_key: key('tea') }, ADMIN)
  await loom.call(
    'run.complete',
    { ...at, run_id, status: 'completed', final_response: `Told ${canary}.`, memories_used: [key('tea')] },
    ADMIN,
  )
  await loom.call('working_memory.set', { ...at, key: 'cursor', value: canary }, ADMIN)
  await loom.call(
    'conversation.append',
    {
      ...at,
      thread_id: `th-${user_id}`,
      title: canary,
      metadata: { of: canary },
      messages: [{ role: 'user', content: `I am ${canary}.` }],
    },
    ADMIN,
  )
  await loom.call(
    'knowledge.add',
    { ...at, document_key: key('doc'), title: canary, text: `# ${canary}\n\n${canary} wrote this guide.` },
    ADMIN,
  )
  await loom.engine.runDueJobs()
}

/** Every row of every table of the schema as text, by table: where a text still stands. */
export async function tablesWith(database: Database, text: string): Promise<Record<string, number>> {
  const { rows: tables } = await sql<{ name: string }>`SELECT table_name::text AS name FROM information_schema.tables
    WHERE table_schema = 'loom' AND table_type = 'BASE TABLE'`.execute(database.reader)
  const found: Record<string, number> = {}
  for (const { name } of tables) {
    const { rows } = await sql<{ hits: number }>`SELECT count(*)::int AS hits FROM ${sql.table(`loom.${name}`)} t
      WHERE position(${text} IN t::text) > 0`.execute(database.reader)
    if ((rows[0]?.hits ?? 0) > 0) found[name] = rows[0]?.hits ?? 0
  }
  return found
}
