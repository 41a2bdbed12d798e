/**
 * What a host tells its own windows and other local watchers after a commit: ids and keys, never a value. These are
 * not the change webhooks of a server.
 */
export type EngineEvent =
  | {
      readonly type: 'memory.changed'
      readonly org: string
      readonly namespace: string
      readonly memory_key: string
      readonly memory_id: string
    }
  | { readonly type: 'namespace.changed'; readonly org: string; readonly namespace: string }
  | { readonly type: 'engine.state'; readonly degraded: readonly string[] }
