import { expect } from 'vitest'
import type { CallInputOf, OpName, OutputOf } from '../../../shared/contract/registry.ts'
import { REGISTRY } from '../../../shared/contract/registry.ts'
import type { EngineConfig } from '../../../shared/engine/config.ts'
import type { PgliteDatabase } from '../../../shared/engine/db/pglite.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { brokenPromises, findableIds, foundIds } from '../../helpers/invariants.ts'
import { watchConnections } from '../../helpers/postgres-connections.ts'
import { watchStatements, type StatementWatch } from '../../helpers/statements.ts'

/** A namespace of its own in which something is tried. */
export interface Space {
  readonly namespace: string
  readonly loom: TestEngine
  /** Runs an operation in the namespace; the fields of the call win. */
  call<N extends OpName>(op: N, input: CallInputOf<N>, key?: string): Promise<OutputOf<N>>
  /** Moves the clock on. */
  later(ms: number): void
  set(memory_key: string, value: unknown, more?: object): Promise<OutputOf<'memory.set'>>
}

export interface FaultyEngine {
  /** What a caller is told of the fault. */
  readonly fault: 'INTERNAL' | 'UNAVAILABLE'
  readonly loom: TestEngine
  readonly watch: StatementWatch
  /** Milliseconds of its clock; moves when told. */
  now: number
  space(): Space
  close(): Promise<void>
}

/** A real engine whose store can be made to fail at a statement: a PGlite, or the Postgres given. */
export async function openFaultyEngine(config: Partial<EngineConfig> = {}, postgresUrl?: string): Promise<FaultyEngine> {
  const engine = { now: Date.parse('2026-03-02T10:00:00Z') } as FaultyEngine & { now: number }
  const loom = await openTestEngine({ clock: () => engine.now, config, ...(postgresUrl !== undefined && { postgresUrl }) })
  const connections = postgresUrl === undefined ? null : await watchConnections(postgresUrl)
  const watch = connections ?? watchStatements((loom.database as PgliteDatabase).pg)
  // What an engine does by itself when its models are there is done before anything is broken.
  await loom.engine.runDueJobs()
  let spaces = 0
  return Object.assign(engine, {
    loom,
    watch,
    fault: connections ? ('UNAVAILABLE' as const) : ('INTERNAL' as const),
    space(): Space {
      const namespace = `f${++spaces}`
      const call: Space['call'] = (op, input, key) => {
        const fills = 'namespace' in REGISTRY[op].input.shape ? { namespace } : {}
        return loom.call(op, { ...fills, ...(input as object) } as never, key === undefined ? {} : { idempotencyKey: key })
      }
      return {
        namespace,
        loom,
        call,
        later: (ms) => void (engine.now += ms),
        set: (memory_key, value, more = {}) => call('memory.set', { memory_key, value, ...more } as never),
      }
    },
    async close() {
      await connections?.close()
      await loom.close()
    },
  })
}

/** Names of tables that differ between two looks at the store. */
export function changed(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...after].filter(([name, print]) => before.get(name) !== print).map(([name]) => name)
}

/** The store keeps its promises, and the search index of the process is that of the store. */
export async function expectWhole({ loom, now }: FaultyEngine, namespace: string, when: string): Promise<void> {
  expect(await brokenPromises(loom.database, namespace), when).toEqual([])
  expect(await foundIds(loom, namespace), when).toEqual(await findableIds(loom.database, namespace, now))
}
