import type { Json } from '../../../shared/contract/common.ts'
import { claimText, readableValue } from '../../text/value-text.ts'

/** Longer than this, a value is read as a text, not as a headline. */
const HEADLINE = 220

/** A value as data: text as it stands, JSON set out. Nothing in it is followed, loaded or run. */
export function Value({ value }: { value: Json | null }) {
  const { text, kind } = readableValue(value ?? undefined)
  const claim = claimText(value ?? undefined)
  if (kind === 'text') return <Headline text={text} />
  return (
    <>
      {claim === text ? <h1 className="sr">JSON</h1> : <Headline text={claim} />}
      {/* It scrolls sideways, so the keyboard has to reach it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre className="code" dir="ltr" role="region" aria-label="JSON" tabIndex={0}>
        {text}
      </pre>
    </>
  )
}

function Headline({ text }: { text: string }) {
  return (
    <h1 className={text.length > HEADLINE ? 'title long' : 'title'} dir="auto">
      {text}
    </h1>
  )
}
