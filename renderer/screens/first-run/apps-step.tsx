import { useState } from 'react'
import { useApps, useConnectApps, type AppCard, type AppId } from '../../data/apps.ts'
import { ChangeOf } from '../agents/change-of.tsx'
import { CARDS } from '../agents/app-strings.ts'
import { Option } from './option.tsx'
import { Step } from './step.tsx'
import { FIRST_RUN } from './strings.ts'

const say = FIRST_RUN.apps
/** Chosen already, where they are here; the others by a click. */
const CHOSEN_AT_FIRST = 2

const isOpen = ({ state }: AppCard): boolean => state === 'ready' || state === 'differs'

function noteOf(app: AppCard, working: boolean, cause: string | undefined): string {
  if (working) return say.writing
  if (cause !== undefined) return cause === '' ? say.done : cause
  if (app.state === 'connected') return say.connected
  return app.state === 'unreadable' ? say.unreadable : say.entry
}

export function AppsStep({ onNext, onBack }: { onNext: () => void; onBack: () => void }) {
  const { data, error } = useApps()
  const { connect, working, causes } = useConnectApps()
  const [picked, setPicked] = useState<readonly AppId[] | null>(null)
  const [showing, setShowing] = useState(false)
  const here = data?.apps.filter((app) => app.state !== 'absent') ?? []
  const open = here.filter(isOpen)
  const chosen = open.filter((app) => (picked ?? open.slice(0, CHOSEN_AT_FIRST).map(({ id }) => id)).includes(app.id))
  const pick = (id: AppId) => (isPicked: boolean) =>
    setPicked([...chosen.map((app) => app.id).filter((one) => one !== id), ...(isPicked ? [id] : [])])
  const go = async (): Promise<void> => {
    if (chosen.length === 0 || (await connect(chosen))) onNext()
  }
  return (
    <Step
      at={2}
      title={say.title}
      why={say.why}
      action={chosen.length === 0 ? FIRST_RUN.next : say.write(chosen.length)}
      busy={working !== null}
      onSubmit={() => void go()}
      left={
        <button type="button" className="btn text" onClick={onBack}>
          {FIRST_RUN.back}
        </button>
      }
      right={
        chosen.length > 0 && (
          <button type="button" className="btn text" onClick={onNext}>
            {FIRST_RUN.skip}
          </button>
        )
      }
    >
      {!data && !error && <p className="s q">{say.opening}</p>}
      {error && !data && <p className="s q">{say.failed}</p>}
      {data && here.length === 0 && <p className="s q">{say.none}</p>}
      {here.map((app) => (
        <Option
          key={app.id}
          type="checkbox"
          name={app.id}
          label={app.name}
          note={noteOf(app, working === app.id, causes[app.id])}
          checked={app.state === 'connected' || chosen.includes(app)}
          disabled={!isOpen(app) || working !== null}
          onChange={pick(app.id)}
        />
      ))}
      {data && (
        <p className="s q">
          {say.others} <code>{data.address}</code>, {say.othersHow}{' '}
          {chosen.length > 0 && (
            <button type="button" className="link" aria-expanded={showing} onClick={() => setShowing(!showing)}>
              {showing ? say.hide : say.show(chosen.length)}
            </button>
          )}
        </p>
      )}
      {showing && chosen.map((app) => <Shown key={app.id} app={app} />)}
    </Step>
  )
}

function Shown({ app }: { app: AppCard }) {
  return (
    <section aria-label={app.name}>
      <p className="path">{app.file}</p>
      <ChangeOf label={CARDS.change(app.name)} lines={app.change} />
    </section>
  )
}
