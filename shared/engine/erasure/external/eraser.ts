/** What one external eraser is asked for. */
export interface ErasureCall {
  readonly org: string
  readonly namespace: string
  /** "": everybody of the namespace. */
  readonly user_id: string
  /** `loom:<org>:<namespace>[:<user_id>]`: by it trace and telemetry back ends find what is meant. */
  readonly tag: string
  readonly erasure_id: string
  readonly purge: boolean
}

/**
 * A place outside Loom that holds what a person said: traces, telemetry, a warehouse. It is called once a namespace of
 * the scope, must be safe to repeat, and fails the erasure by throwing.
 */
export interface ExternalEraser {
  readonly name: string
  erase(call: ErasureCall): Promise<{ readonly affected: number }>
}

export function tagOf(org: string, namespace: string, userId: string): string {
  return ['loom', org, namespace, ...(userId === '' ? [] : [userId])].join(':')
}
