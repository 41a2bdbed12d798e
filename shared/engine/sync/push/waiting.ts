import { stringifyJson } from '../../../contract/json.ts'
import type { RawChange } from './call.ts'

/** What a change is about, as far as later ones must wait for it. */
export function namesOf(raw: RawChange): string[] {
  const args = (typeof raw['args'] === 'object' && raw['args'] !== null ? raw['args'] : {}) as Readonly<Record<string, unknown>>
  const place = ['org', 'namespace', 'agent', 'user_id', 'session_id'].map((field) => args[field])
  const keys = [args['memory_key'], args['to_key']].filter((key) => typeof key === 'string')
  const schema = typeof args['schema'] === 'string' ? [stringifyJson(['schema', args['org'], args['namespace'], args['schema']])] : []
  const ids = [args['memory_id'], args['pair_id'], args['blacklist_id'], raw['memory_id']].filter(
    (id) => typeof id === 'string' && id !== '',
  )
  return [
    ...schema,
    ...keys.map((key) => stringifyJson([...place, key])),
    ...ids.map((id) => stringifyJson(['id', id])),
    `change:${raw.change_id}`,
  ]
}

/** What a change waits for besides: those that it was made on. */
export function waitsFor(raw: RawChange): string[] {
  const args = raw['args'] as Readonly<Record<string, unknown>> | undefined
  const version = args?.['version']
  const base = raw['base_change_id']
  return [...namesOf(raw), `change:${typeof base === 'string' ? base : ''}`, ...(typeof version === 'string' ? [version] : [])]
}
