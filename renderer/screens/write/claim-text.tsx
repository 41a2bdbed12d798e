import type { Ref } from 'react'
import { Differing } from '../../parts/marked.tsx'
import { secretSpan } from '../../text/secret.ts'
import type { Judgement } from './judgement.ts'
import { WRITE as say } from './strings.ts'

interface ClaimTextProps {
  readonly text: string
  readonly json: boolean
  readonly judgement: Judgement
  readonly problem: string | undefined
  readonly onText: (text: string) => void
  readonly ref: Ref<HTMLTextAreaElement>
}

/** The text, with the words marked that a peer contradicts, or that look like a secret. */
export function ClaimText({ text, json, judgement, problem, onText, ref }: ClaimTextProps) {
  return (
    <div className={json ? 'claim-box json' : 'claim-box'}>
      <div className="claim-mirror" aria-hidden="true" dir="auto">
        <Marks text={text} judgement={judgement} />
        {/* A closing line break takes a line in the field, so it has to here. */}
        {'\u200b'}
      </div>
      <textarea
        ref={ref}
        className="claim-text"
        aria-label={say.text}
        aria-invalid={problem !== undefined}
        placeholder={say.textPlaceholder}
        dir="auto"
        spellCheck={!json}
        rows={1}
        value={text}
        onChange={(event) => onText(event.target.value)}
      />
    </div>
  )
}

function Marks({ text, judgement }: { text: string; judgement: Judgement }) {
  if (judgement.kind === 'secret') {
    const span = secretSpan(text)
    if (!span) return text
    return (
      <>
        {text.slice(0, span.start)}
        <mark>{text.slice(span.start, span.end)}</mark>
        {text.slice(span.end)}
      </>
    )
  }
  if (judgement.kind === 'judged' && judgement.finding === 'conflict') {
    const peer = judgement.answer.peers.find((candidate) => candidate.relation === 'contradicts')
    if (peer) return <Differing text={text} other={peer.excerpt} />
  }
  return text
}
