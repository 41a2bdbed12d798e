import { useEffect, useState } from 'react'
import { useLiveUpdates } from '../../data/live.ts'
import { readDraft } from '../../state/draft.ts'
import { hasShell, useShellEvents } from '../../state/shell.ts'
import { QUICK as say } from './strings.ts'
import { type Quick, quickOf } from './place.ts'
import { SearchPage } from './search-page.tsx'
import { QUICK_DRAFT, WritePage } from './write-page.tsx'

/** The small window: writes one memory, or finds one. In a browser each is a page of its own. */
export function QuickPage({ namespace }: { namespace: string }) {
  const [what, setWhat] = useState<Quick>(() => quickOf(window.location.pathname) ?? 'write')
  /** Called once more: what was left half done stays, what was done begins anew. */
  const [round, setRound] = useState(0)
  useLiveUpdates(() => true)
  useShellEvents((event) => {
    if (event.type !== 'shell.show') return
    setWhat(event.what)
    if (event.what === 'search' || readDraft(QUICK_DRAFT) === null) setRound((before) => before + 1)
  })
  const name = what === 'write' ? say.write : say.search
  useEffect(() => {
    document.title = `${name} · Loom`
  }, [name])
  return (
    <main className={hasShell() ? 'quick' : 'quick alone'} aria-label={name}>
      {what === 'write' ? (
        <WritePage key={round} namespace={namespace} onDone={() => setRound((before) => before + 1)} />
      ) : (
        <SearchPage key={round} namespace={namespace} />
      )}
    </main>
  )
}
