import { locale } from '../../state/locale.ts'
import { count } from '../../text/when.ts'

const records = (amount: number): string => `${count(amount, locale)} ${amount === 1 ? 'record' : 'records'}`

export const RECORDS = {
  title: 'Records',
  schemas: 'Schemas',
  table: 'Records of the schema',
  records,
  proposed: 'proposed',
  proposedLong: 'This schema is proposed. Its records come when an admin accepts it.',
  none: 'No schema yet',
  noneLong:
    'Records are rows with exact fields, for what has an identity: a ticket, a customer, an order. An agent registers a schema, and writes records of it.',
  noneHow: 'memory_schema.register and memory.record.write',
  opening: 'Opening…',
  failed: (message: string) => `The records could not be read: ${message}`,
  shown: (shown: number, total: number) => (shown >= total ? records(total) : `${count(shown, locale)} of ${records(total)}`),
  more: 'Show more',
  empty: 'No record yet',
  nothing: 'No record answers this',
  clear: 'Clear filters',
  key: 'Key',
  changed: 'Changed',
  sortBy: (name: string) => `Sort by ${name}`,
  states: { unknown: 'unknown', absent: 'none', rejected: 'rejected' },
  yes: 'yes',
  no: 'no',
}

export const FILTER = {
  label: 'Filter',
  field: 'Field',
  operator: 'Condition',
  value: 'Value',
  add: 'Add filter',
  remove: (what: string) => `Remove filter: ${what}`,
  operators: {
    eq: 'is',
    ne: 'is not',
    contains: 'contains',
    starts_with: 'starts with',
    gt: 'over',
    gte: 'at least',
    lt: 'under',
    lte: 'at most',
    known: 'has a value',
    gap: 'has no value',
  },
  needsNumber: 'Type a number.',
}

export const EXPORT = {
  csv: 'Export CSV',
  running: (done: number) => `Exporting, ${count(done, locale)}…`,
  done: (amount: number, name: string) => `${records(amount)} exported to ${name}`,
  failed: (message: string) => `Nothing was exported: ${message}`,
}

export const DETAILS = {
  label: 'Record',
  close: 'Close',
  fields: 'Fields',
  history: 'History',
  opening: 'Opening…',
  schema: (version: number) => `Schema version ${version}`,
  by: 'By',
  agent: 'Agent',
  user: 'User',
  run: 'Run',
  source: 'Source',
  first: 'First written',
  key: { identity: 'Key made of its identity fields', given: 'Key given by its writer' },
  statuses: { active: 'now', superseded: 'earlier', tombstoned: 'deleted' },
  created: 'Written',
  deleted: 'Deleted',
  more: (amount: number) => `${count(amount, locale)} more`,
}
