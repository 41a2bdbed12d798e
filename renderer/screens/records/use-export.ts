import { useState } from 'react'
import { useClient } from '../../data/client.tsx'
import { allRecords, type FieldDef, type Question, type RecordView } from '../../data/records.ts'
import { saveFile } from '../../parts/save-file.ts'
import { useUndo } from '../../state/undo.tsx'
import { BYTE_ORDER_MARK, csvLine, type Cell } from '../../text/csv.ts'
import { messageOf } from '../../text/message-of.ts'
import { EXPORT as say } from './strings.ts'

function lineOf(record: RecordView, fields: readonly FieldDef[]): string {
  const cells = fields.map(({ name }): Cell => {
    const held = record.fields[name]
    return held?.state === 'value' ? (held.value ?? null) : null
  })
  return csvLine([record.record_key, ...cells, record.created_at, record.actor])
}

/** Saves every record that answers a question as a CSV file. `running`: how many are read; null while nothing runs. */
export function useExport() {
  const client = useClient()
  const { say: announce } = useUndo()
  const [running, setRunning] = useState<number | null>(null)

  async function run(question: Question, fields: readonly FieldDef[]): Promise<void> {
    setRunning(0)
    try {
      const parts = [BYTE_ORDER_MARK + csvLine(['record_key', ...fields.map((field) => field.name), 'created_at', 'actor'])]
      let amount = 0
      for await (const records of allRecords(client, question)) {
        parts.push(records.map((record) => lineOf(record, fields)).join(''))
        amount += records.length
        setRunning(amount)
      }
      const name = `${question.schema}.csv`
      saveFile(parts, name, 'text/csv')
      announce({ said: say.done(amount, name) })
    } catch (error) {
      announce({ said: say.failed(messageOf(error)), failed: true })
    }
    setRunning(null)
  }
  return { running, run }
}
