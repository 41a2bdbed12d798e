import { useState } from 'react'
import { MOST_SHOWN, SHOWN, useRecalled, useWaiting, useWrote, type AgentRow } from '../../data/agents.ts'
import { locale, useNow } from '../../state/locale.ts'
import { pathOf } from '../../state/route.ts'
import { placeName, placeOf } from '../../data/places.ts'
import { count, listDate } from '../../text/when.ts'
import { AgentRuns, useGraded } from './agent-runs.tsx'
import { AGENTS as say } from './strings.ts'

/** What one agent wrote, recalled and ran: in the namespace in sight where it was there, else where it was last. */
export function AgentReader({ namespace, agent }: { namespace: string; agent: AgentRow }) {
  const now = useNow()
  const { org, namespace: here } = placeOf(namespace)
  const last = agent.namespaces[0] ?? here
  const place = agent.namespaces.includes(here) ? namespace : org === '' ? last : placeName(org, last, '')
  const waiting = useWaiting(place, agent.agent).data
  const graded = useGraded(place, agent.agent)
  return (
    <>
      <p className="q s">{say.crumb(agent, now)}</p>
      <h1 className="title">
        <bdi>{agent.agent}</bdi>
      </h1>
      <dl className="stats">
        <Stat value={count(agent.wrote, locale)} name={say.wrote} />
        <Stat value={count(agent.recalled, locale)} name={say.recalled} />
        <Stat value={waiting === undefined ? '…' : count(waiting, locale)} name={say.waiting(waiting ?? 0)} />
        {graded.of > 0 && <Stat value={say.of(graded.passed, graded.of)} name={say.graded} />}
      </dl>
      <div className="cols">
        <WroteLately place={place} agent={agent.agent} />
        <RecalledLately place={place} agent={agent.agent} />
      </div>
      <AgentRuns place={place} agent={agent.agent} />
    </>
  )
}

function Stat({ value, name }: { value: string; name: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

interface LineProps {
  readonly place: string
  readonly id: string | null
  readonly name: string
  readonly badge?: string | undefined
  readonly when: string
  readonly at: string
  readonly text: string
}

function Line({ place, id, name, badge, when, at, text }: LineProps) {
  const inside = (
    <>
      <span className="k">
        <code>
          <bdi>{name}</bdi>
        </code>
        {badge && <span className="badge warn">{badge}</span>}
        <time dateTime={at}>{when}</time>
      </span>
      <span className="v" dir="auto">
        {text}
      </span>
    </>
  )
  return <li>{id === null ? <div>{inside}</div> : <a href={`#${pathOf({ namespace: place, id })}`}>{inside}</a>}</li>
}

function More({ total, all, onAll }: { total: number | null; all: boolean; onAll: (all: boolean) => void }) {
  const label = all ? say.fewer : total === null ? say.allOf : total > MOST_SHOWN ? say.newest(MOST_SHOWN) : say.all(total)
  return (
    <button type="button" className="link s" onClick={() => onAll(!all)}>
      {label}
    </button>
  )
}

function WroteLately({ place, agent }: { place: string; agent: string }) {
  const [all, setAll] = useState(false)
  const { data, error } = useWrote(place, agent, all)
  const now = useNow()
  return (
    <section aria-label={say.wroteLately}>
      <h2 className="h3">{say.wroteLately}</h2>
      {error && !data && <p className="q s">{say.noAnswer}</p>}
      {data?.rows.length === 0 && <p className="q s">{say.wroteNothing(place)}</p>}
      <ul className="act">
        {data?.rows.map((row) => (
          <Line
            key={row.memory_id}
            place={place}
            id={row.memory_id}
            name={row.memory_key}
            badge={say.badges[row.status]}
            when={listDate(row.updated_at, now, locale)}
            at={row.updated_at}
            text={row.excerpt}
          />
        ))}
      </ul>
      {(data?.total ?? 0) > SHOWN && <More total={data?.total ?? null} all={all} onAll={setAll} />}
    </section>
  )
}

function RecalledLately({ place, agent }: { place: string; agent: string }) {
  const [all, setAll] = useState(false)
  const { data, error } = useRecalled(place, agent, all)
  const now = useNow()
  return (
    <section aria-label={say.recalledLately}>
      <h2 className="h3">{say.recalledLately}</h2>
      {error && !data && <p className="q s">{say.noAnswer}</p>}
      {data?.rows.length === 0 && <p className="q s">{say.recalledNothing}</p>}
      <ul className="act">
        {data?.rows.map(({ memory_key, namespace, place: at, row, times, at: when }) => (
          <Line
            key={`${namespace} ${memory_key}`}
            place={at}
            id={row?.memory_id ?? null}
            name={memory_key}
            when={`${listDate(when, now, locale)}, ${say.times(times)}`}
            at={when}
            text={row?.excerpt ?? say.gone}
          />
        ))}
      </ul>
      {(data?.more || all) && <More total={null} all={all} onAll={setAll} />}
    </section>
  )
}
