import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useRuns, type Run } from '../../data/agents.ts'
import { useClient } from '../../data/client.tsx'
import { Problem } from '../../parts/notes.tsx'
import { locale, useNow } from '../../state/locale.ts'
import { useUndo } from '../../state/undo.tsx'
import { messageOf } from '../../text/message-of.ts'
import { actorName } from '../../text/plain-words.ts'
import { count, listDate } from '../../text/when.ts'
import { RUNS as say } from './strings.ts'

/** How many of the runs that were read so far are graded, and passed. */
export function useGraded(place: string, agent: string): { readonly passed: number; readonly of: number } {
  const runs = useRuns(place, agent).data?.pages.flatMap((page) => page.runs) ?? []
  return { passed: runs.filter((run) => run.grade === 'pass').length, of: runs.filter((run) => run.grade !== null).length }
}

export function AgentRuns({ place, agent }: { place: string; agent: string }) {
  const { data, hasNextPage, fetchNextPage } = useRuns(place, agent)
  const now = useNow()
  const runs = data?.pages.flatMap((page) => page.runs) ?? []
  return (
    <section className="runs" aria-label={say.title}>
      <h2 className="h3">{say.title}</h2>
      {data && runs.length === 0 && <p className="q s">{say.none}</p>}
      {runs.length > 0 && (
        <div className="runs-scroll">
          <table className="table">
            <thead>
              <tr>
                <th>{say.goal}</th>
                <th>{say.started}</th>
                <th className="r">{say.took}</th>
                <th className="r">{say.recalled}</th>
                <th className="r">{say.wrote}</th>
                <th>{say.grade}</th>
              </tr>
            </thead>
            <tbody>
              {runs.map((run) => (
                <tr key={run.run_id}>
                  <td dir="auto">{run.goal || run.run_id}</td>
                  <td className="nw">{listDate(run.started_at, now, locale)}</td>
                  <td className="r nw">{say.duration(run)}</td>
                  <td className="r">{count(Math.max(run.recalled_keys.length, run.memories_used.length), locale)}</td>
                  <td className="r">{count(run.memories_written, locale)}</td>
                  <td>
                    <Grade place={place} run={run} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {hasNextPage && (
        <button type="button" className="link s" onClick={() => void fetchNextPage()}>
          {say.more}
        </button>
      )}
    </section>
  )
}

function Grade({ place, run }: { place: string; run: Run }) {
  const [open, setOpen] = useState(false)
  const client = useClient()
  const cache = useQueryClient()
  const { say: tell } = useUndo()
  const name = run.goal || run.run_id
  const grading = useMutation({
    mutationFn: async (grade: 'pass' | 'fail') => {
      await client.run.grade({ namespace: place, run_id: run.run_id, grade })
      await cache.invalidateQueries({ queryKey: ['host', 'runs'] })
      await cache.invalidateQueries({ queryKey: ['review'] })
      tell({ said: say.graded(name, grade === 'pass') })
    },
    onSuccess: () => setOpen(false),
  })
  if (run.grade === 'pass') return say.passed(actorName(run.graded_by))
  if (run.grade === 'fail') return say.failed(run.grade_reason, actorName(run.graded_by))
  if (run.status === 'running' || run.status === 'cancelled') return null
  if (!open) {
    return (
      <>
        {say.notGraded}{' '}
        <button type="button" className="link" aria-label={`${say.gradeIt}: ${name}`} onClick={() => setOpen(true)}>
          {say.gradeIt}
        </button>
      </>
    )
  }
  return (
    <span className="grading" role="group" aria-label={say.gradeOf(name)}>
      {(['pass', 'fail'] as const).map((grade) => (
        <button key={grade} type="button" className="btn sm" disabled={grading.isPending} onClick={() => grading.mutate(grade)}>
          {say[grade]}
        </button>
      ))}
      <button type="button" className="btn sm text" onClick={() => setOpen(false)}>
        {say.cancel}
      </button>
      <Problem text={grading.error ? messageOf(grading.error) : ''} />
    </span>
  )
}
