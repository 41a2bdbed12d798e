import type { Org } from '../../data/erasure.ts'
import { placeName } from '../../data/places.ts'
import { HOME_NAMESPACE } from '../../data/namespaces.ts'
import { useTeam } from '../../data/sync.ts'
import { pathOf } from '../../state/route.ts'
import { NOT_ALLOWED as say } from './strings.ts'

interface NotAllowedProps {
  readonly org: Org
  readonly what: 'erase' | 'export'
  readonly onHere?: () => void
}

/** Who may, and what the person can do all the same. */
export function NotAllowed({ org, what, onHere }: NotAllowedProps) {
  const team = useTeam()
  const readable = Object.keys(org.grants).find((name) => name !== '*') ?? HOME_NAMESPACE
  const namespace = placeName(org.org, readable, team ? team.home : org.org)
  return (
    <section className="card not-allowed" aria-labelledby="not-allowed">
      <h2 id="not-allowed">{say[what]}</h2>
      <p>{org.isBound ? say.bound : say.why(org.org)}</p>
      <p>{say.next}</p>
      <div className="acts">
        {onHere && (
          <button type="button" className="btn" onClick={onHere}>
            {what === 'erase' ? say.here : say.exportHere}
          </button>
        )}
        <a className="btn" href={`#${pathOf({ namespace })}`}>
          {say.memories}
        </a>
      </div>
    </section>
  )
}
