import type { ReactNode } from 'react'
import type { Peer } from '../../../shared/contract/common.ts'
import { useMemoryRow, type ReadRow } from '../../data/queries.ts'
import { Changes, Differing } from '../../parts/marked.tsx'
import { sureness } from '../../text/plain-words.ts'
import { claimText, readableValue } from '../../text/value-text.ts'
import type { Answer, Finding, Judgement } from './judgement.ts'
import { VERDICT as say } from './strings.ts'

interface VerdictBoxProps {
  readonly judgement: Judgement
  readonly text: string
  /** Memories in the namespace, null while unknown. */
  readonly held: number | null
  readonly base: ReadRow | null
  readonly moved: ReadRow | null
  readonly typed: boolean
}

interface Line {
  readonly tone: '' | 'q' | 'ok' | 'warn' | 'bad'
  readonly first: string
  readonly second: string
  readonly exact?: string
}

const FINDINGS: Readonly<Record<Finding, (answer: Answer) => Omit<Line, 'second'>>> = {
  clear: (answer) => ({
    tone: answer.conflict_verdict === '' ? '' : 'ok',
    first: answer.conflict_verdict === '' ? say.notChecked : say.clear,
  }),
  refines: () => ({ tone: 'ok', first: say.refines }),
  duplicate: () => ({ tone: '', first: say.duplicate }),
  merge: () => ({ tone: '', first: say.merge }),
  same: () => ({ tone: '', first: say.same }),
  conflict: (answer) => ({ tone: 'warn', first: say.conflict(answer.peers.filter((peer) => peer.relation === 'contradicts').length) }),
  rejected: () => ({ tone: 'bad', first: say.rejected }),
}

function secondPart(finding: Finding, answer: Answer, held: number | null): { second: string; exact?: string } {
  if (answer.degraded.includes('embedder')) return { second: say.byWords }
  const [peer] = answer.peers
  if (finding === 'same') return { second: say.sameNext }
  if (finding === 'rejected') return { second: say.rejectedNext }
  if (finding !== 'clear' && peer) return { second: sureness(peer.confidence).toLowerCase(), exact: String(peer.confidence) }
  if (answer.conflict_verdict === '') return { second: say.notCheckedNext }
  return { second: held === null ? '' : say.checkedAgainst(held) }
}

function lineOf(judgement: Judgement, held: number | null): Line {
  switch (judgement.kind) {
    case 'empty':
      return { tone: 'q', first: say.empty, second: say.emptyNext }
    case 'checking':
      return { tone: 'q', first: say.checking, second: say.checkingNext }
    case 'invalid':
      return { tone: 'bad', first: say.invalid, second: say.invalidNext }
    case 'secret':
      return { tone: 'bad', first: say.secret, second: say.secretNext }
    case 'refused':
      return { tone: 'bad', first: say.refused, second: say.invalidNext }
    case 'failed':
      return { tone: 'bad', first: say.failed, second: say.invalidNext }
    case 'judged':
      return { ...FINDINGS[judgement.finding](judgement.answer), ...secondPart(judgement.finding, judgement.answer, held) }
  }
}

/** What Loom makes of the text. Its first line has one height and changes in place. */
export function VerdictBox({ judgement, text, held, base, moved, typed }: VerdictBoxProps) {
  const line = lineOf(judgement, held)
  const alert = judgement.kind === 'secret' || judgement.kind === 'refused'
  return (
    <section className="verdict" aria-label="Verdict">
      {moved && base && <Moved before={moved} now={base} />}
      <div className={`vh ${line.tone}`} role={alert ? 'alert' : 'status'}>
        {line.first}
        <span title={line.exact}>{line.second}</span>
      </div>
      <Body judgement={judgement} text={text} />
      {base && !moved && typed && judgement.kind === 'judged' && judgement.finding !== 'same' && <Revises base={base} text={text} />}
    </section>
  )
}

function Body({ judgement, text }: { judgement: Judgement; text: string }): ReactNode {
  switch (judgement.kind) {
    case 'empty':
    case 'checking':
      return null
    case 'invalid':
      return Object.values(judgement.problems).map((problem) => (
        <div key={problem} className="peer">
          {problem}
        </div>
      ))
    case 'secret':
      return (
        <div className="peer">
          <span>{say.secretBetter}</span>
          <span className="q">{say.secretConsequence}</span>
        </div>
      )
    case 'refused':
    case 'failed':
      return <div className="peer">{judgement.message}</div>
    case 'judged':
      return (
        <>
          {judgement.finding === 'merge' && <div className="peer q">{say.holder(judgement.answer.merged_into_key)}</div>}
          {judgement.answer.peers.map((peer) => (
            <PeerClaim key={peer.memory_id} peer={peer} text={text} />
          ))}
        </>
      )
  }
}

/** A peer is answered as an excerpt; the whole is read where the excerpt is cut. */
function PeerClaim({ peer, text }: { peer: Peer; text: string }) {
  const whole = useMemoryRow(peer.excerpt.length >= 190 ? peer.memory_id : null)
  const said = whole.data?.row ? claimText(whole.data.row.value).slice(0, 1200) : peer.excerpt
  return (
    <div className="peer">
      <div className="k">
        <code dir="auto">{peer.memory_key}</code>
        <span title={String(peer.confidence)}>{say.relations[peer.relation]}</span>
      </div>
      <span dir="auto">{peer.relation === 'same' ? said : <Differing text={said} other={text} />}</span>
      {peer.reason && <span className="q">{peer.reason}</span>}
    </div>
  )
}

function Revises({ base, text }: { base: ReadRow; text: string }) {
  const before = readableValue(base.value ?? undefined).text
  if (base.sensitivity === 'high') return null
  return (
    <div className="peer">
      <div className="k">
        <code dir="auto">{base.memory_key}</code>
        <span>{say.revises}</span>
      </div>
      <span dir="auto">
        <Changes before={before} after={text.trim()} />
      </span>
    </div>
  )
}

function Moved({ before, now }: { before: ReadRow; now: ReadRow }) {
  return (
    <>
      <div className="vh warn" role="alert">
        {say.moved}
        <span>{say.movedNext}</span>
      </div>
      <div className="peer moved">
        <span dir="auto">
          <Changes before={readableValue(before.value ?? undefined).text} after={readableValue(now.value ?? undefined).text} />
        </span>
        <span className="q">{say.movedConsequence}</span>
      </div>
    </>
  )
}
