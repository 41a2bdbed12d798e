import { useEffect } from 'react'
import { useApps } from '../../data/apps.ts'
import { Unread } from '../../parts/notes.tsx'
import { AppCardView } from './app-card.tsx'
import { CARDS as say } from './app-strings.ts'

/** A card for each app: the file, the change, the copy, the test. */
export function AppCards({ wanted }: { wanted: string }) {
  const { data, error, isPending, refetch } = useApps()
  const isHere = data !== undefined
  useEffect(() => {
    if (wanted === '' || !isHere) return
    const card = document.getElementById(`app-${wanted}`)
    card?.scrollIntoView({ block: 'nearest' })
    card?.focus({ preventScroll: true })
  }, [wanted, isHere])
  return (
    <>
      <h1 className="title">{say.title}</h1>
      <p className="q">{say.why}</p>
      {isPending && <p className="q s">{say.opening}</p>}
      {error && !data && <Unread text={say.failed} onRetry={() => void refetch()} />}
      {data && (
        <>
          <div className="app-cards">
            {data.apps.map((app) => (
              <AppCardView key={app.id} app={app} />
            ))}
          </div>
          <p className="q s app-address">
            {say.others} <code>{data.address}</code>, {say.othersHow}
          </p>
        </>
      )}
    </>
  )
}
