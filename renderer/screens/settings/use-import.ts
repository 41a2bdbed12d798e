import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { Columns } from '../../../shared/client/importing/columns.ts'
import type { Report } from '../../../shared/client/importing/report.ts'
import { runImport, type ImportFile } from '../../../shared/client/importing/run-import.ts'
import { useClient } from '../../data/client.tsx'
import { messageOf } from '../../text/message-of.ts'

/** Where an import stands: chosen, tried out, and then made. */
export type ImportState =
  | { readonly step: 'idle'; readonly fault: string }
  | { readonly step: 'checking' | 'importing'; readonly files: readonly ImportFile[]; readonly report: Report | null }
  | { readonly step: 'checked' | 'done'; readonly files: readonly ImportFile[]; readonly report: Report }

export interface Importing {
  readonly state: ImportState
  /** Tries the files out: nothing is stored. */
  check(files: readonly ImportFile[], columns: Columns): void
  /** Stores what was tried out. */
  store(): void
  cancel(): void
  reset(): void
}

/** One import at a time; leaving the screen cancels it between two calls. */
export function useImport(namespace: string): Importing {
  const client = useClient()
  const cache = useQueryClient()
  const [state, setState] = useState<ImportState>({ step: 'idle', fault: '' })
  const running = useRef<AbortController | null>(null)
  const columns = useRef<Columns>({})
  useEffect(() => () => running.current?.abort(), [])

  async function run(files: readonly ImportFile[], dryRun: boolean): Promise<void> {
    const stop = new AbortController()
    running.current?.abort()
    running.current = stop
    const step = dryRun ? 'checking' : 'importing'
    setState({ step, files, report: null })
    const isCurrent = (): boolean => running.current === stop
    try {
      const report = await runImport(client, files, {
        place: { namespace },
        columns: columns.current,
        dryRun,
        signal: stop.signal,
        onProgress: (soFar) => {
          if (isCurrent()) setState({ step, files, report: soFar })
        },
      })
      if (isCurrent()) setState({ step: dryRun ? 'checked' : 'done', files, report })
    } catch (error) {
      if (isCurrent()) setState({ step: 'idle', fault: messageOf(error) })
    } finally {
      if (!dryRun) void cache.invalidateQueries()
    }
  }

  return {
    state,
    check(files, named) {
      columns.current = named
      if (files.length > 0) void run(files, true)
    },
    store() {
      if (state.step === 'checked') void run(state.files, false)
    },
    cancel: () => running.current?.abort(),
    reset() {
      running.current?.abort()
      running.current = null
      setState({ step: 'idle', fault: '' })
    },
  }
}
