import { Check, Minus, X } from 'lucide-react'
import type { AppCard } from '../../data/apps.ts'
import { CARDS as say } from './app-strings.ts'

/** The three steps of a test, as far as it came. */
export function TestOf({ app: { testing, test, canUndo } }: { app: AppCard }) {
  if (testing === null && !test) return null
  const written = canUndo ? say.writtenCopy : ''
  const passed = testing === null ? (test?.passed ?? []).map(({ step, ms, tools }) => say.steps[step](ms, tools)) : []
  return (
    <ul className="test">
      {written !== '' && testing !== null && <Passed text={written} />}
      {passed.map((text) => (
        <Passed key={text} text={text} />
      ))}
      {testing !== null && (
        <li>
          <Minus className="w" role="img" aria-label={say.waits} />
          <span>{say.next[testing - 1]}</span>
        </li>
      )}
      {testing === null && test && test.cause !== '' && (
        <li className="f">
          <X role="img" aria-label={say.wrong} />
          <span>{test.cause}</span>
        </li>
      )}
    </ul>
  )
}

function Passed({ text }: { text: string }) {
  return (
    <li>
      <Check role="img" aria-label={say.passed} />
      <span>{text}</span>
    </li>
  )
}
