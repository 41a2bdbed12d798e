import { useRef, useState, type ReactNode } from 'react'
import { stringifyJson } from '../../../shared/contract/json.ts'
import type { Erasure, ErasureAnswer, Org } from '../../data/erasure.ts'
import { FactList } from '../../parts/fact-list.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { locale } from '../../state/locale.ts'
import { useUndo } from '../../state/undo.tsx'
import { namesIn } from '../../text/erasure-words.ts'
import { count, fullDate } from '../../text/when.ts'
import { Devices, provedBy } from './devices.tsx'
import { receiptPage } from './receipt-page.ts'
import { DEVICES, RECEIPT as say } from './strings.ts'

interface ReceiptProps {
  readonly org: Org
  readonly erasure: Erasure
  /** Null where the list is not there yet. */
  readonly attempts: number | null
  /** Of the window that asked: what each store lost. */
  readonly answer: ErasureAnswer | undefined
}

/** One page, to print or save: what was erased, that nothing is left, and how to check it. */
export function Receipt({ org, erasure, attempts, answer }: ReceiptProps) {
  const page = useRef<HTMLElement>(null)
  const { erasure_id: id, devices_pending: pending } = erasure
  const hasDevices = pending.length + erasure.receipts.length > 0
  return (
    <>
      <article className="receipt" ref={page} aria-labelledby="receipt-title">
        <header>
          <p className="brand">
            <span className="logo" aria-hidden="true" />
            Loom
          </p>
          <h1 className="title" id="receipt-title">
            {say.title}
          </h1>
          <p className="q">{say.of(erasure.org ?? '', fullDate(erasure.requested_at ?? '', locale))}</p>
        </header>
        {pending.length > 0 && <p className="note warn">{say.pending(pending.map((device) => device.name).join(', '))}</p>}
        <Facts erasure={erasure} attempts={attempts} />
        {erasure.census && <Stores census={erasure.census} answer={answer} />}
        {hasDevices && (
          <section aria-label={DEVICES.title}>
            <Devices org={org} erasure={erasure} />
          </section>
        )}
        <p className="s q">
          {erasure.purge ? say.keptPurge : say.kept} {say.check} <code>loom erasure.status --erasure_id {id}</code>
        </p>
      </article>
      <Acts erasure={erasure} answer={answer} page={page} />
    </>
  )
}

/** Proof has one time for all who read it. */
const utc = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`

function scopeWords({ scope_type, scope_value, org }: Erasure): string {
  const value = scope_value ?? ''
  const where = org ?? ''
  switch (scope_type) {
    case 'user_id':
      return say.person(value, where)
    case 'namespace_list':
      return say.namespaces(namesIn(value).join(', '), where)
    case 'collection':
      return say.collection(value, where)
    default:
      return say.namespace(value, where)
  }
}

function Facts({ erasure, attempts }: Pick<ReceiptProps, 'erasure' | 'attempts'>) {
  const { requested_at, completed_at, verified_at, devices_pending: pending, receipts } = erasure
  const proved = provedBy(erasure).length
  const seq = receipts[0]?.seq
  const lines: [string, ReactNode][] = [
    [say.erasure, <code key="id">{erasure.erasure_id}</code>],
    [say.scope, <bdi key="scope">{scopeWords(erasure)}</bdi>],
    [say.how, erasure.purge ? say.purge : say.tombstone],
    [say.asked, <bdi key="who">{say.askedBy(erasure.requester ?? '', utc(requested_at ?? ''))}</bdi>],
    [say.complete, `${utc(completed_at ?? '')}${attempts === null ? '' : say.tries(attempts)}`],
    [say.counted, verified_at === null ? say.notCounted : say.countedAt(utc(verified_at))],
    [say.devices, pending.length + proved === 0 ? say.noDevices : say.confirmed(proved, proved + pending.length)],
  ]
  if (seq !== undefined) lines.push([say.number, say.numberWhat(seq)])
  return <FactList lines={lines} className="facts" />
}

/** Rows that each store lost, over the steps. */
function erasedBy(answer: ErasureAnswer | undefined): ReadonlyMap<string, number> | null {
  if (answer?.status !== 'completed') return null
  const lost = new Map<string, number>()
  for (const { stores } of answer.steps) for (const [key, amount] of Object.entries(stores)) lost.set(key, (lost.get(key) ?? 0) + amount)
  return lost
}

function Stores({ census, answer }: { census: Readonly<Record<string, number>>; answer: ErasureAnswer | undefined }) {
  const lost = erasedBy(answer)
  const keys = Object.keys(census).toSorted((a, b) => (lost?.get(b) ?? 0) - (lost?.get(a) ?? 0) || a.localeCompare(b))
  return (
    <table className="table stores" aria-label={say.stores}>
      <thead>
        <tr>
          <th scope="col">{say.store}</th>
          {lost && (
            <th scope="col" className="r">
              {say.erased}
            </th>
          )}
          <th scope="col" className="r">
            {say.left}
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key}>
            <td className="mono">{key}</td>
            {lost && <td className="r">{count(lost.get(key) ?? 0, locale)}</td>}
            <td className="r">{count(census[key] ?? 0, locale)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Acts({ erasure, answer, page }: Pick<ReceiptProps, 'erasure' | 'answer'> & { page: React.RefObject<HTMLElement | null> }) {
  const { say: announce } = useUndo()
  const [copied, setCopied] = useState(false)
  const { erasure_id: id } = erasure
  const saved = (name: string): void => announce({ said: say.savedAs(name) })
  const savePage = (): void => {
    const name = `receipt-${id}.html`
    if (page.current) saveFile([receiptPage(page.current, `${say.title} ${id}`)], name, 'text/html')
    saved(name)
  }
  const saveJson = (): void => {
    const name = `receipt-${id}.json`
    saveFile([stringifyJson({ ...erasure, ...(answer && { steps: answer.steps }) }, 2)], name, 'application/json')
    saved(name)
  }
  return (
    <div className="acts receipt-acts">
      <button type="button" className="btn pri" onClick={() => window.print()}>
        {say.print}
      </button>
      <button type="button" className="btn" onClick={savePage}>
        {say.page}
      </button>
      <button type="button" className="btn" onClick={saveJson}>
        {say.json}
      </button>
      <button type="button" className="btn text" onClick={() => void navigator.clipboard.writeText(id).then(() => setCopied(true))}>
        {copied ? say.copied : say.copy}
      </button>
    </div>
  )
}
