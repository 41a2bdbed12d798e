import { filesInOrder, kindsText, LEFT_WORDS, REASON_WORDS } from '../../../shared/client/importing/report-text.ts'
import type { LeftReason } from '../../../shared/client/importing/found.ts'
import type { Report } from '../../../shared/client/importing/report.ts'
import { locale } from '../../state/locale.ts'
import { count } from '../../text/when.ts'
import { FORMATS, TRANSFER as say } from './import-strings.ts'

const MOST_FILES = 10
const MOST_PROBLEMS = 20

/** What an import came to, or would come to, in counts and words. */
export function ImportReport({ report }: { report: Report }) {
  const reasons = Object.entries(report.reasons).toSorted(([, a], [, b]) => b - a)
  const kinds = kindsText(report)
  const left = (Object.entries(report.left) as [LeftReason, number][]).toSorted(([, a], [, b]) => b - a)
  return (
    <section className="import-report" aria-label={say.report}>
      <table className="table">
        <caption className="label">{say.filesRead(report.file_count)}</caption>
        <thead>
          <tr>
            <th scope="col">{say.file}</th>
            <th scope="col">{say.recognised}</th>
            <th scope="col" className="r">
              {say.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {filesInOrder(report)
            .slice(0, MOST_FILES)
            .map(({ path, format, found }) => (
              <tr key={path}>
                <td className="path">
                  <bdi>{path}</bdi>
                </td>
                <td>{FORMATS[format]}</td>
                <td className="r">{count(found, locale)}</td>
              </tr>
            ))}
        </tbody>
      </table>
      {report.file_count > MOST_FILES && <p className="s q">{say.more(report.file_count - MOST_FILES)}</p>}
      <Counts title={report.dry_run ? say.wouldBecome : say.became} rows={reasons.map(([name, n]) => [REASON_WORDS[name] ?? name, n])} />
      {kinds !== '' && <p className="s q">{say.kindsStored(kinds, report.dry_run)}</p>}
      <Counts title={say.left} rows={left.map(([reason, n]) => [LEFT_WORDS[reason], n])} />
      {report.problem_count > 0 && (
        <details className="held" open={report.found === 0}>
          <summary>{say.problems(report.problem_count)}</summary>
          <ul className="problems">
            {report.problems.slice(0, MOST_PROBLEMS).map(({ path, line, message }) => (
              <li key={`${path} ${line} ${message}`}>
                <b>
                  <bdi>{say.place(path, line)}</bdi>
                </b>{' '}
                {message}
              </li>
            ))}
          </ul>
          {report.problem_count > MOST_PROBLEMS && <p className="s q">{say.more(report.problem_count - MOST_PROBLEMS)}</p>}
        </details>
      )}
    </section>
  )
}

function Counts({ title, rows }: { title: string; rows: readonly (readonly [string, number])[] }) {
  if (rows.length === 0) return null
  return (
    <table className="table">
      <caption className="label">{title}</caption>
      <tbody>
        {rows.map(([words, n]) => (
          <tr key={words}>
            <th scope="row">{words}</th>
            <td className="r">{count(n, locale)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
