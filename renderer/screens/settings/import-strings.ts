import type { Format } from '../../../shared/client/importing/importers.ts'
import { locale } from '../../state/locale.ts'
import { count } from '../../text/when.ts'

const memories = (amount: number): string => (amount === 1 ? '1 memory' : `${count(amount, locale)} memories`)
/** An export of Loom holds more than memories. */
const things = (amount: number, isMixed: boolean): string => (isMixed ? `${count(amount, locale)} entries` : memories(amount))
const files = (amount: number): string => (amount === 1 ? '1 file' : `${count(amount, locale)} files`)

export const TRANSFER = {
  title: 'Import and export',
  lead: 'Bring in what other apps know about you. Each fact is judged against what is known here before it is stored, and the same file twice adds nothing.',
  into: (namespace: string) => `Into ${namespace}`,
  drop: 'Drop files or a folder here',
  kinds:
    'Exports of ChatGPT, Claude, mem0, OpenMemory and Loom, memory of the MCP server, notes of Obsidian and basic-memory, CLAUDE.md, agent sessions, CSV and JSON. A zip is read as it is.',
  choose: 'Choose files',
  chooseFolder: 'Choose a folder',
  columns: 'Columns of a table',
  columnsHint: 'Only for CSV and JSON whose columns have unusual names.',
  column: { text: 'Column with the text', tags: 'Column with tags', valid_at: 'Column with the date' },
  checking: 'Looking at what it would come to',
  importing: 'Importing',
  progress: (read: string, total: string, found: number) => `${read} of ${total}, ${memories(found)} found`,
  cancel: 'Cancel',
  import: (amount: number, isMixed: boolean) => `Import ${things(amount, isMixed)}`,
  nothingNew: 'There is nothing new to import.',
  other: 'Choose something else',
  checked: 'This is what an import would come to. Nothing is stored yet.',
  done: (amount: number, isMixed: boolean) => `Stored ${things(amount, isMixed)}`,
  cancelledCheck: 'Cancelled. Nothing was stored.',
  cancelled: (amount: number, isMixed: boolean) =>
    `Cancelled. ${things(amount, isMixed)} had been stored and stay; the same import made again goes on from there.`,
  undo: 'What was imported has the source imported: filter by it, or retire it, in Memories.',
  failed: (why: string) => `It could not be read to the end: ${why}`,
  report: 'Report',
  became: 'What became of it',
  wouldBecome: 'What would become of it',
  kindsStored: (kinds: string, isTry: boolean) => `${isTry ? 'To be stored' : 'Stored'}: ${kinds}.`,
  amount: 'Count',
  filesRead: (amount: number) => `${files(amount)} read`,
  file: 'File',
  recognised: 'Recognised as',
  left: 'Left out',
  problems: (amount: number) => (amount === 1 ? '1 could not be read or stored' : `${count(amount, locale)} could not be read or stored`),
  place: (path: string, line: number | null) => (line === null ? path : `${path}, line ${count(line, locale)}`),
  more: (amount: number) => `and ${count(amount, locale)} more`,
  exportTitle: 'Export',
  exportLead: (namespace: string) =>
    `Everything that ${namespace} holds, in one file of JSON lines that Loom reads back. Vectors are left out. The command loom export also writes notes in Markdown.`,
  export: 'Export to a file',
  exporting: (rows: number) => `${count(rows, locale)} rows written`,
  exported: (rows: number) => `Exported ${count(rows, locale)} rows`,
  notExported: (why: string) => `Nothing was exported: ${why}`,
}

export const FORMATS: Readonly<Record<Format, string>> = {
  loom: 'Loom export',
  chatgpt: 'ChatGPT export',
  claude: 'Claude export',
  'server-memory': 'MCP server memory',
  'agent-session': 'Agent session',
  mem0: 'mem0 or OpenMemory',
  records: 'JSON records',
  csv: 'Table',
  transcript: 'Saved chat',
  'basic-memory': 'basic-memory note',
  markdown: 'Markdown notes',
}
