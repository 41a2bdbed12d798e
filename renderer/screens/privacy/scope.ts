import { Name, SubjectName } from '../../../shared/contract/common.ts'
import type { AskedScope, Org } from '../../data/erasure.ts'
import { isAtLeast } from '../../data/roles.ts'
import { SCOPE as say } from './strings.ts'

export type ScopeKind = AskedScope['scope_type']

/** What stands in the form, for each kind by itself: switching between them loses nothing. */
export interface ScopeForm {
  readonly kind: ScopeKind
  readonly user: string
  readonly namespace: string
  /** Names with commas or spaces between. */
  readonly several: string
}

const MOST_NAMES = 500

export interface Rights {
  /** A person and several namespaces at once. */
  readonly all: boolean
  readonly anyNamespace: boolean
  /** Those of which the person is admin, where it is not all. */
  readonly namespaces: readonly string[]
}

const NONE: Rights = { all: false, anyNamespace: false, namespaces: [] }

/** What the person may erase and export. */
export function rightsIn({ grants, isBound }: Pick<Org, 'grants' | 'isBound'>): Rights {
  if (isBound) return NONE
  const flat = grants['*']
  const named = Object.keys(grants).filter((name) => name !== '*' && isAtLeast(grants[name], 'admin'))
  return { all: isAtLeast(flat, 'org_admin'), anyNamespace: isAtLeast(flat, 'admin'), namespaces: named }
}

export const mayAny = ({ all, anyNamespace, namespaces }: Rights): boolean => all || anyNamespace || namespaces.length > 0

/** The form as it opens: a person's where the caller may, else the namespace in sight. */
export function firstForm(rights: Rights, namespace: string): ScopeForm {
  const own = rights.anyNamespace || rights.namespaces.includes(namespace) ? namespace : (rights.namespaces[0] ?? '')
  return { kind: rights.all ? 'user_id' : 'namespace', user: '', namespace: own, several: '' }
}

/** The names that were typed, each once. */
export const namesOf = (several: string): string[] => [...new Set(several.split(/[\s,]+/).filter(Boolean))].toSorted()

export function toggleName(several: string, name: string): string {
  const names = namesOf(several)
  return (names.includes(name) ? names.filter((one) => one !== name) : [...names, name]).join(', ')
}

export interface ReadScope {
  /** Null while nothing can be asked. */
  readonly scope: AskedScope | null
  /** What is wrong with it; "" where it is right, or nothing was typed yet. */
  readonly problem: string
  /** What has to be typed before it is erased. */
  readonly phrase: string
}

const nothing = (problem = ''): ReadScope => ({ scope: null, problem, phrase: '' })

export function readForm({ kind, user, namespace, several }: ScopeForm): ReadScope {
  if (kind === 'user_id') {
    const id = user.trim()
    if (id === '') return nothing()
    if (id === '-' || !SubjectName.safeParse(id).success) return nothing(say.badUser)
    return { scope: { scope_type: kind, scope_value: id }, problem: '', phrase: id }
  }
  if (kind === 'namespace') {
    const name = namespace.trim()
    if (name === '') return nothing()
    if (!Name.safeParse(name).success) return nothing(say.badName(name))
    return { scope: { scope_type: kind, scope_value: name }, problem: '', phrase: name }
  }
  const names = namesOf(several)
  const [first] = names
  if (first === undefined) return nothing()
  const bad = names.find((name) => !Name.safeParse(name).success)
  if (bad !== undefined) return nothing(say.badName(bad))
  if (names.length > MOST_NAMES) return nothing(say.tooMany(MOST_NAMES))
  const phrase = names.length === 1 ? first : say.phrase(names.length)
  return { scope: { scope_type: kind, scope_value: JSON.stringify(names) }, problem: '', phrase }
}
