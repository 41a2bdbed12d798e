import { useEffect, useState } from 'react'
import type { RecoveryDone, RecoverySurvey } from '../../../shared/contract/recovery.ts'
import { askShell } from '../../state/shell.ts'
import { messageOf } from '../../text/message-of.ts'
import { RECOVERY as say } from './strings.ts'

export type Work = keyof typeof say.working

/** What was counted meanwhile: null while it is being counted. */
export function useSurvey(): RecoverySurvey | null | 'unknown' {
  const [survey, setSurvey] = useState<RecoverySurvey | null | 'unknown'>(null)
  useEffect(() => {
    let left = false
    void askShell('shell.recover', { do: 'survey' }).then(
      ({ done }) => left || setSurvey(done?.did === 'survey' ? done.survey : 'unknown'),
      () => left || setSurvey('unknown'),
    )
    return () => {
      left = true
    }
  }, [])
  return survey
}

function wordsOf(done: RecoveryDone | null): string {
  if (done?.did === 'export') return say.exported(done.memories, done.folder) + (done.unreadable ? say.unreadable(done.unreadable) : '')
  return done?.did === 'restore' || done?.did === 'fresh' ? say.done(done.kept) : ''
}

/** Does what was chosen, one thing at a time. */
export function useRecover() {
  const [working, setWorking] = useState<Work | null>(null)
  const [said, setSaid] = useState({ words: '', failed: false })
  const act = async (work: Work, more: object = {}): Promise<void> => {
    if (working !== null) return
    setWorking(work)
    setSaid({ words: '', failed: false })
    try {
      const { done } = await askShell('shell.recover', { do: work, ...more })
      // A database that opens now takes this page away with it.
      setSaid(work === 'retry' ? { words: say.still, failed: true } : { words: wordsOf(done), failed: false })
    } catch (error) {
      setSaid({ words: say.failed(messageOf(error)), failed: true })
    } finally {
      setWorking(null)
    }
  }
  return { working, said, act }
}
