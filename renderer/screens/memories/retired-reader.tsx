import type { OutputOf } from '../../../shared/contract/registry.ts'
import type { Item } from '../../data/item.ts'
import { Crumb } from './crumb.tsx'
import { READER as say } from './strings.ts'
import { Value } from './value.tsx'
import { Versions } from './versions.tsx'

interface RetiredReaderProps {
  readonly preview: Item | null
  readonly reason: OutputOf<'memory.get_by_id'>['reason']
  readonly history: OutputOf<'memory.history'> | undefined
  readonly you: string
  readonly onRestore: (key: string) => void
}

/** A memory that is served no more: its last words, and the way back while there is one. */
export function RetiredReader({ preview, reason, history, you, onRestore }: RetiredReaderProps) {
  if (history && !history.found) {
    return (
      <div className="empty">
        <h2>{say.notFound}</h2>
        <p>{say.notFoundNext}</p>
      </div>
    )
  }
  const name = preview?.key ?? history?.memory_key ?? ''
  const last = history?.rows.find((version) => version.value !== undefined && version.value !== null && !version.redacted)
  const hidden = last?.sensitivity === 'high'
  const restorable = preview ? preview.restorableUntil : null
  const canRestore = reason === 'deleted' && (preview === null || preview.status !== 'tombstoned' || restorable !== null)
  return (
    <article className="body">
      {preview && <Crumb namespace={preview.namespace} name={name} />}
      {!preview && <div className="crumb">{name}</div>}
      {last && !hidden && <Value value={last.value ?? null} />}
      <div className="note retired-note">
        {reason === 'expired' ? say.expired : say.retired(preview?.tombstonedAt ?? null)}
        {reason !== 'expired' && restorable && ` ${say.restorable(restorable)}`}
        {reason !== 'expired' && !canRestore && ` ${say.notRestorable}`}
        {canRestore && (
          <button type="button" className="btn pri sm" onClick={() => onRestore(name)}>
            {say.restore} <kbd aria-hidden="true">R</kbd>
          </button>
        )}
      </div>
      {history && <Versions history={history} hidden={hidden} you={you} />}
    </article>
  )
}
