import { useEffect, useState } from 'react'
import { useWindowKeys } from '../../state/keys.ts'
import { AppsStep } from './apps-step.tsx'
import { PlaceStep } from './place-step.tsx'
import { StartStep } from './start-step.tsx'

export interface FirstRunProps {
  /** Leaves for the window: to the list, or to the import of notes. */
  readonly onEnd: (to: 'list' | 'import') => void
  readonly onWrite: () => void
}

/** From start to a first memory: where it lives, which apps, what to start with. Each step can be left, and nothing waits for the next. */
export function FirstRunPage({ onEnd, onWrite }: FirstRunProps) {
  const [step, setStep] = useState(1)
  useEffect(() => {
    document.title = 'Loom'
  }, [])
  useWindowKeys({
    Escape: () => (step === 1 ? onEnd('list') : setStep(step - 1)),
    n: () => {
      onEnd('list')
      onWrite()
    },
  })
  const next = (): void => setStep(step + 1)
  const back = (): void => setStep(step - 1)
  return (
    <main className="first-run">
      {step === 1 && <PlaceStep onNext={next} onLeave={() => onEnd('list')} />}
      {step === 2 && <AppsStep onNext={next} onBack={back} />}
      {step === 3 && <StartStep onBack={back} onEnd={onEnd} />}
    </main>
  )
}
