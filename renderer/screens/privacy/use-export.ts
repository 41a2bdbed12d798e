import { useRef, useState } from 'react'
import { EXPORT_SECTIONS, type ExportSection } from '../../../shared/contract/ops/erasure/export.ts'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import { useOrgClient } from '../../data/erasure.ts'
import { filePart, saveFile } from '../../parts/save-file.ts'
import { useUndo } from '../../state/undo.tsx'
import { exportPieces, type ErasureExport } from '../../text/export-file.ts'
import { messageOf } from '../../text/message-of.ts'
import { EXPORT as say } from './strings.ts'

export type AskedExport = Pick<CallInputOf<'erasure.export'>, 'scope_type' | 'scope_value' | 'requester' | 'include_tombstoned'>

/** How far an export is: reading everything, then writing one section after the other. */
export type Progress =
  | { readonly kind: 'reading' }
  | {
      readonly kind: 'writing'
      readonly section: ExportSection
      readonly rows: number
      readonly of: number
      readonly written: number
      readonly all: number
    }

export interface Exported {
  readonly file: string
  readonly sections: readonly { readonly section: ExportSection; readonly rows: number; readonly truncated: boolean }[]
}

/** The most that one call answers of a section. */
const SECTION_ROWS = 100_000

const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

/** The file piece by piece: the window draws between two, and a stop is heard. Null when it was stopped. */
async function written(answer: ErasureExport, signal: AbortSignal, told: (progress: Progress) => void): Promise<Blob[] | null> {
  const all = EXPORT_SECTIONS.reduce((sum, section) => sum + answer[section].rows.length, 0)
  const parts: Blob[] = []
  let before = 0
  let last: ExportSection = EXPORT_SECTIONS[0]
  for (const { text, section, rows, of } of exportPieces(answer)) {
    if (signal.aborted) return null
    if (section !== last) before += answer[last].rows.length
    last = section
    parts.push(new Blob([text]))
    told({ kind: 'writing', section, rows, of, written: before + rows, all })
    await nextTask()
  }
  return parts
}

/** Saves everything about a scope as one JSON file, which can be stopped at any time. */
export function useExportFile(org: string) {
  const client = useOrgClient(org)
  const { say: announce } = useUndo()
  const running = useRef<AbortController | null>(null)
  const [progress, setProgress] = useState<Progress | null>(null)
  const [done, setDone] = useState<Exported | null>(null)
  const [fault, setFault] = useState('')

  async function run(asked: AskedExport, name: string): Promise<void> {
    if (running.current) return
    const stop = new AbortController()
    running.current = stop
    setFault('')
    setDone(null)
    setProgress({ kind: 'reading' })
    try {
      const answer = await client.erasure.export({ ...asked, section_limit: SECTION_ROWS }, { signal: stop.signal })
      const parts = await written(answer, stop.signal, setProgress)
      if (parts === null) return announce({ said: say.stopped })
      const file = `loom-export-${filePart(name)}-${answer.exported_at.slice(0, 10)}.json`
      saveFile(parts, file, 'application/json')
      const sections = EXPORT_SECTIONS.map((section) => ({
        section,
        rows: answer[section].rows.length,
        truncated: answer[section].truncated,
      }))
      setDone({ file, sections })
      announce({
        said: say.done(
          sections.reduce((sum, one) => sum + one.rows, 0),
          file,
        ),
      })
    } catch (error) {
      if (stop.signal.aborted) announce({ said: say.stopped })
      else setFault(say.failed(messageOf(error)))
    } finally {
      running.current = null
      setProgress(null)
    }
  }
  return { progress, done, fault, run, clear: () => setFault(''), stop: () => running.current?.abort() }
}
