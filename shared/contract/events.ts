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
  /** Typed records of a namespace, or their schemas. */
  | { readonly type: 'records.changed'; readonly org: string; readonly namespace: string }
  /** Documents of a namespace. */
  | { readonly type: 'knowledge.changed'; readonly org: string; readonly namespace: string }
  | { readonly type: 'engine.state'; readonly degraded: readonly string[] }
  /** Settings of this desktop, by name. */
  | { readonly type: 'settings.changed'; readonly keys: readonly string[] }
  /** The ring of backups of this desktop is another. */
  | { readonly type: 'backups.changed' }
