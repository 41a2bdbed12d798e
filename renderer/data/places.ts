import type { Link } from '../../shared/client/link.ts'
import { Name } from '../../shared/contract/common.ts'
import { contractOf, isOpName } from '../../shared/contract/registry.ts'

/**
 * The window shows namespaces of two orgs side by side: the install's own under their plain names, those of the team as
 * `org/namespace`. Neither part of a name has a slash.
 */
export interface Place {
  /** Empty: the install's own. */
  readonly org: string
  readonly namespace: string
}

export function placeOf(name: string): Place {
  const slash = name.indexOf('/')
  return slash < 0 ? { org: '', namespace: name } : { org: name.slice(0, slash), namespace: name.slice(slash + 1) }
}

export const placeName = (org: string, namespace: string, home: string): string => (org === home ? namespace : `${org}/${namespace}`)

export function isPlaceName(name: string): boolean {
  const { org, namespace } = placeOf(name)
  return Name.safeParse(namespace).success && (!name.includes('/') || Name.safeParse(org).success)
}

export interface Orgs {
  /** The install's own org; empty while it is not known. */
  readonly home: string
  /** Org of calls that name a row by its id alone: that of the namespace in sight. */
  readonly scope: string
}

/** A link on which every call says its org, and every answer names namespaces as the window does. */
export function placedLink(link: Link, orgs: Orgs): Link {
  return {
    ...link,
    async call(op, input, meta) {
      const { sent, org } = addressed(op, input, orgs)
      const reply = await link.call(op, sent, meta)
      if (!reply.ok || org === '' || org === orgs.home) return reply
      return { ...reply, value: named(reply.value, org) as Record<string, unknown> }
    },
  }
}

function addressed(op: string, input: unknown, { home, scope }: Orgs): { sent: unknown; org: string } {
  if (!isOpName(op) || !('org' in contractOf(op).input.shape)) return { sent: input, org: '' }
  const given = (input ?? {}) as Readonly<Record<string, unknown>>
  if (typeof given['org'] === 'string' && given['org'] !== '') return { sent: given, org: given['org'] }
  const place = placeOf(typeof given['namespace'] === 'string' ? given['namespace'] : '')
  if (place.namespace === '') return { sent: { ...given, org: scope }, org: scope }
  const org = place.org || home
  return { sent: { ...given, ...(org && { org }), namespace: place.namespace }, org }
}

/** Values are data: what is called namespace inside of one is none of ours. */
const DATA: ReadonlySet<string> = new Set(['value', 'local_value', 'settings'])

function named(answer: unknown, org: string): unknown {
  if (Array.isArray(answer)) return answer.map((one) => named(one, org))
  if (typeof answer !== 'object' || answer === null) return answer
  return Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, namedField(name, value, org)]))
}

function namedField(name: string, value: unknown, org: string): unknown {
  if (DATA.has(name)) return value
  if (name === 'namespace' && typeof value === 'string' && value !== '') return `${org}/${value}`
  // A call that is offered goes back as it came, to the org that offered it.
  if (name === 'arguments') return typeof value === 'object' && value !== null ? { org, ...value } : value
  return named(value, org)
}
