import { useId, useRef, useState } from 'react'
import type { Columns } from '../../../shared/client/importing/columns.ts'
import { kindsText } from '../../../shared/client/importing/report-text.ts'
import type { Report } from '../../../shared/client/importing/report.ts'
import type { ImportFile } from '../../../shared/client/importing/run-import.ts'
import { droppedFiles, pickedFiles } from '../../data/import-files.ts'
import { locale } from '../../state/locale.ts'
import { sizeOf } from '../../text/size.ts'
import { ExportPart } from './export-part.tsx'
import { FormField } from './form-field.tsx'
import { ImportReport } from './import-report.tsx'
import { TRANSFER as say } from './import-strings.ts'
import { useImport, type Importing } from './use-import.ts'

/** Bringing memories in from elsewhere, tried out first, and taking all of them out. */
export function ImportSection({ namespace }: { namespace: string }) {
  const importing = useImport(namespace)
  const { state } = importing
  return (
    <>
      <h1 className="title">{say.title}</h1>
      <p className="lead">{say.lead}</p>
      <section className="import-box" aria-label={say.into(namespace)}>
        <p className="label">
          <bdi>{say.into(namespace)}</bdi>
        </p>
        {state.step === 'idle' && <Choose importing={importing} fault={state.fault} />}
        {(state.step === 'checking' || state.step === 'importing') && (
          <Progress step={state.step} report={state.report} files={state.files} onCancel={importing.cancel} />
        )}
        {state.step === 'checked' && <Checked importing={importing} report={state.report} />}
        {state.step === 'done' && <Done importing={importing} report={state.report} />}
      </section>
      <ExportPart namespace={namespace} />
    </>
  )
}

function Choose({ importing, fault }: { importing: Importing; fault: string }) {
  const [over, setOver] = useState(false)
  const [columns, setColumns] = useState<Columns>({})
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const named = Object.fromEntries(Object.entries(columns).filter(([, name]) => name.trim() !== '')) as Columns
  const picked = (input: HTMLInputElement): void => {
    if (input.files) importing.check(pickedFiles(input.files), named)
    // The same file may be chosen again.
    input.value = ''
  }
  return (
    <>
      <div
        className={over ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          void droppedFiles(event.dataTransfer.items).then((dropped) => importing.check(dropped, named))
        }}
      >
        <b>{say.drop}</b>
        <span>{say.kinds}</span>
        <div className="acts">
          <button type="button" className="btn pri" onClick={() => files.current?.click()}>
            {say.choose}
          </button>
          <button type="button" className="btn" onClick={() => folder.current?.click()}>
            {say.chooseFolder}
          </button>
        </div>
        <input ref={files} type="file" multiple hidden aria-label={say.choose} onChange={(event) => picked(event.currentTarget)} />
        <input
          ref={folder}
          type="file"
          hidden
          aria-label={say.chooseFolder}
          {...{ webkitdirectory: '' }}
          onChange={(event) => picked(event.currentTarget)}
        />
      </div>
      <details className="held">
        <summary>{say.columns}</summary>
        <div className="form">
          <p className="s q">{say.columnsHint}</p>
          {(['text', 'tags', 'valid_at'] as const).map((field) => (
            <FormField
              key={field}
              label={say.column[field]}
              value={columns[field] ?? ''}
              onChange={(name) => setColumns((before) => ({ ...before, [field]: name }))}
            />
          ))}
        </div>
      </details>
      {fault !== '' && (
        <p className="note warn" role="alert">
          {say.failed(fault)}
        </p>
      )}
    </>
  )
}

interface ProgressProps {
  readonly step: 'checking' | 'importing'
  readonly report: Report | null
  readonly files: readonly ImportFile[]
  readonly onCancel: () => void
}

function Progress({ step, report, files, onCancel }: ProgressProps) {
  const id = useId()
  const total = files.reduce((sum, file) => sum + file.size, 0)
  const read = report?.bytes_read ?? 0
  return (
    <div className="import-progress">
      <b id={id}>{say[step]}</b>
      <progress aria-labelledby={id} max={Math.max(1, total)} value={read} />
      <p className="s q" role="status">
        {say.progress(sizeOf(read, locale), sizeOf(total, locale), report?.found ?? 0)}
      </p>
      <div className="acts">
        <button type="button" className="btn" onClick={onCancel}>
          {say.cancel}
        </button>
      </div>
    </div>
  )
}

function Checked({ importing, report }: { importing: Importing; report: Report }) {
  const { written } = report.totals
  const isMixed = kindsText(report) !== ''
  return (
    <>
      <p role="status">{report.cancelled ? say.cancelledCheck : written > 0 ? say.checked : say.nothingNew}</p>
      <ImportReport report={report} />
      <div className="acts">
        {written > 0 && !report.cancelled && (
          <button type="button" className="btn pri" onClick={importing.store}>
            {say.import(written, isMixed)}
          </button>
        )}
        <button type="button" className="btn" onClick={importing.reset}>
          {say.other}
        </button>
      </div>
    </>
  )
}

function Done({ importing, report }: { importing: Importing; report: Report }) {
  const { written } = report.totals
  const isMixed = kindsText(report) !== ''
  return (
    <>
      <p role="status">
        <b>{report.cancelled ? say.cancelled(written, isMixed) : say.done(written, isMixed)}</b>
      </p>
      {written > 0 && <p className="s q">{say.undo}</p>}
      <ImportReport report={report} />
      <div className="acts">
        <button type="button" className="btn" onClick={importing.reset}>
          {say.other}
        </button>
      </div>
    </>
  )
}
