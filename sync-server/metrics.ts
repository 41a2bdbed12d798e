import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { isLoomError } from '../shared/contract/errors.ts'
import { isOpName } from '../shared/contract/registry.ts'
import type { Engine } from '../shared/engine/api.ts'
import type { Database } from '../shared/engine/db/database.ts'

/** From a cached read to a bulk write, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

export interface Metrics {
  /** The same engine, whose operations are counted by name, outcome and time. Nothing of what they say is kept. */
  watch(engine: Engine): Engine
  /** Size of a store, read when asked. */
  watchStore(database: Database): void
  /** Everything in Prometheus' text form. */
  text(): Promise<string>
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const operations = new Counter({
    name: 'loom_operations_total',
    help: 'Operations answered, by name and error code ("ok" for none).',
    labelNames: ['op', 'code'],
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'loom_operation_seconds',
    help: 'Time from the start of an operation to its answer.',
    labelNames: ['op'],
    buckets: BUCKETS,
    registers: [registry],
  })
  return {
    watch: (engine) =>
      new Proxy(engine, {
        get(target, member) {
          const value: unknown = Reflect.get(target, member, target)
          if (member !== 'run') return typeof value === 'function' ? value.bind(target) : value
          return async (...[name, input, caller]: Parameters<Engine['run']>) => {
            // Names come from callers: what is no operation is one label, not one each.
            const op = isOpName(name) ? name : 'unknown'
            const stop = seconds.startTimer({ op })
            let code = 'ok'
            try {
              return await target.run(name, input, caller)
            } catch (error) {
              code = isLoomError(error) ? error.code : 'INTERNAL'
              throw error
            } finally {
              stop()
              operations.inc({ op, code })
            }
          }
        },
      }),
    watchStore(database) {
      const size: Gauge = new Gauge({
        name: 'loom_store_bytes',
        help: 'Size of the database.',
        // A store that is away says nothing of its size, and the rest is told all the same.
        collect: async (): Promise<void> => size.set(await database.bytes().catch(() => Number.NaN)),
      })
      registry.registerMetric(size)
    },
    text: () => registry.metrics(),
  }
}
