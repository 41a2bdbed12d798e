import type { Org } from '../../data/erasure.ts'
import { useNamespaces } from '../../data/namespaces.ts'
import { placeOf } from '../../data/places.ts'
import { useTeam } from '../../data/sync.ts'
import { Choice } from '../../parts/choice.tsx'
import { FormField } from '../settings/form-field.tsx'
import { namesOf, readForm, toggleName, type Rights, type ScopeForm } from './scope.ts'
import { NOT_ALLOWED, SCOPE as say } from './strings.ts'

interface ScopeFieldsProps {
  readonly name: string
  readonly org: Org
  readonly rights: Rights
  readonly form: ScopeForm
  readonly onForm: (form: ScopeForm) => void
}

/** Whom or what it is about: the kinds that the person may name, and a line for the name. */
export function ScopeFields({ name, org, rights, form, onForm }: ScopeFieldsProps) {
  const { problem } = readForm(form)
  return (
    <div className="scope">
      {rights.all ? (
        <Choice
          name={`${name}-scope`}
          label={say.scope}
          value={form.kind}
          options={say.kinds}
          onChange={(kind) => onForm({ ...form, kind })}
        />
      ) : (
        <p className="note">{NOT_ALLOWED.onlyNamespaces(org.org)}</p>
      )}
      {form.kind === 'user_id' && (
        <FormField
          label={say.user(org.org)}
          value={form.user}
          hint={say.userHint}
          problem={problem}
          onChange={(user) => onForm({ ...form, user })}
        />
      )}
      {form.kind === 'namespace' && (
        <>
          <FormField
            label={say.namespace(org.org)}
            value={form.namespace}
            hint={say.namespaceHint}
            problem={problem}
            onChange={(namespace) => onForm({ ...form, namespace })}
          />
          <Known
            org={org}
            rights={rights}
            chosen={[form.namespace.trim()]}
            onChoose={(namespace) => onForm({ ...form, namespace: namespace === form.namespace ? '' : namespace })}
          />
        </>
      )}
      {form.kind === 'namespace_list' && (
        <>
          <FormField
            label={say.several(org.org)}
            value={form.several}
            hint={say.severalHint}
            problem={problem}
            onChange={(several) => onForm({ ...form, several })}
          />
          <Known
            org={org}
            rights={rights}
            chosen={namesOf(form.several)}
            onChoose={(one) => onForm({ ...form, several: toggleName(form.several, one) })}
          />
        </>
      )}
    </div>
  )
}

/** More would be a list to search, not to choose from; any other can be typed. */
const MOST_SHOWN = 40

interface KnownProps {
  readonly org: Org
  readonly rights: Rights
  readonly chosen: readonly string[]
  readonly onChoose: (name: string) => void
}

function Known({ org, rights, chosen, onChoose }: KnownProps) {
  const { data = [] } = useNamespaces()
  const team = useTeam()
  const prefix = team?.org === org.org ? org.org : ''
  const names = data
    .filter((row) => placeOf(row.namespace).org === prefix)
    .map((row) => placeOf(row.namespace).namespace)
    .filter((name) => rights.anyNamespace || rights.namespaces.includes(name))
    .slice(0, MOST_SHOWN)
  if (names.length === 0) return null
  return (
    <div className="chips known" role="group" aria-label={say.known}>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          className={chosen.includes(name) ? 'chip on' : 'chip'}
          aria-pressed={chosen.includes(name)}
          onClick={() => onChoose(name)}
        >
          <bdi>{name}</bdi>
        </button>
      ))}
    </div>
  )
}
