import { useState } from 'react'
import { useSamples } from '../../data/samples.ts'
import { Problem } from '../../parts/notes.tsx'
import { messageOf } from '../../text/message-of.ts'
import { SAMPLES } from '../../text/samples.ts'
import { Option } from './option.tsx'
import { Step } from './step.tsx'
import { FIRST_RUN } from './strings.ts'

const say = FIRST_RUN.start
type Choice = 'samples' | 'notes' | 'nothing'

export function StartStep({ onBack, onEnd }: { onBack: () => void; onEnd: (to: 'list' | 'import') => void }) {
  const [choice, setChoice] = useState<Choice>('samples')
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState('')
  const samples = useSamples()
  const go = async (): Promise<void> => {
    if (choice === 'samples') {
      setBusy(true)
      setFault('')
      try {
        await samples.add()
      } catch (error) {
        setFault(messageOf(error))
        return
      } finally {
        setBusy(false)
      }
    }
    onEnd(choice === 'notes' ? 'import' : 'list')
  }
  const option = (value: Choice, label: string, why = '') => (
    <Option type="radio" name="start" label={label} why={why} checked={choice === value} onChange={() => setChoice(value)} />
  )
  return (
    <Step
      at={3}
      title={say.title}
      why={say.why}
      action={say.open}
      busy={busy}
      onSubmit={() => void go()}
      left={
        <button type="button" className="btn text" onClick={onBack}>
          {FIRST_RUN.back}
        </button>
      }
    >
      {option('samples', say.samples, say.samplesWhy)}
      {option('notes', say.notes, say.notesWhy)}
      {option('nothing', say.nothing)}
      <Problem text={fault} />
      {choice === 'samples' && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- longer than its box: scrolled by keys it has to have the focus
        <ul className="samples" aria-label={say.list} tabIndex={0}>
          {SAMPLES.map(({ memory_key, value }) => (
            <li key={memory_key}>
              <code>{memory_key}</code>
              <span dir="auto">{value}</span>
            </li>
          ))}
        </ul>
      )}
    </Step>
  )
}
