import { useRef, useState } from 'react'
import { exportNamespace } from '../../../shared/client/exporting/export-namespace.ts'
import { useClient } from '../../data/client.tsx'
import { filePart, saveFile } from '../../parts/save-file.ts'
import { useUndo } from '../../state/undo.tsx'
import { messageOf } from '../../text/message-of.ts'
import { TRANSFER as say } from './import-strings.ts'

/** Lines that are put together before they are handed to the browser, which keeps what is large on disk. */
const LINES = 5000

/** Everything that a namespace holds, as a file. */
export function ExportPart({ namespace }: { namespace: string }) {
  const client = useClient()
  const { say: announce } = useUndo()
  const running = useRef<AbortController | null>(null)
  const [rows, setRows] = useState<number | null>(null)
  const [fault, setFault] = useState('')

  async function run(): Promise<void> {
    if (running.current) return
    const stop = new AbortController()
    running.current = stop
    setFault('')
    setRows(0)
    try {
      const parts: Blob[] = []
      let lines: string[] = []
      let written = 0
      const pack = (): void => {
        if (lines.length > 0) parts.push(new Blob([`${lines.join('\n')}\n`]))
        lines = []
      }
      const told = (progress: { readonly rows: number }): void => setRows((written = progress.rows))
      for await (const { text } of exportNamespace(client, { namespace, signal: stop.signal, onProgress: told })) {
        if (stop.signal.aborted) return
        lines.push(text)
        if (lines.length >= LINES) pack()
      }
      pack()
      saveFile(parts, `loom-${filePart(namespace)}.jsonl`, 'application/x-ndjson')
      announce({ said: say.exported(written) })
    } catch (error) {
      if (!stop.signal.aborted) setFault(say.notExported(messageOf(error)))
    } finally {
      running.current = null
      setRows(null)
    }
  }

  return (
    <section className="part" aria-labelledby="export-title">
      <h2 className="h3" id="export-title">
        {say.exportTitle}
      </h2>
      <p>{say.exportLead(namespace)}</p>
      <div className="acts">
        <button type="button" className="btn" aria-disabled={rows !== null} onClick={() => void run()}>
          {say.export}
        </button>
        {rows !== null && (
          <button type="button" className="btn" onClick={() => running.current?.abort()}>
            {say.cancel}
          </button>
        )}
      </div>
      <p className={fault ? 'problem' : 's q'} role={fault ? 'alert' : 'status'}>
        {fault || (rows === null ? '' : say.exporting(rows))}
      </p>
    </section>
  )
}
