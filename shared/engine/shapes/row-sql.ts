import type { ServedShape } from './served.ts'
import { relationKey } from './protocol.ts'
import { quoteName, quoteText } from './statement.ts'

/** A row's columns as one JSON object of texts, as messages carry them. */
export function valueSql(shape: ServedShape): string {
  const columns = shape.columns.map(({ name }) => `t.${quoteName(name)}::text AS ${quoteName(name)}`)
  return `(SELECT row_to_json(x) FROM (SELECT ${columns.join(', ')}) x)::text`
}

/** A row's key as messages name it; `messageKey` makes the same. */
export function keySql(shape: ServedShape): string {
  const parts = shape.key.map((column) => {
    const value = `t.${quoteName(column)}::text`
    return `coalesce('/"' || replace(${value}, '/', '//') || '"', '/_')`
  })
  return [quoteText(relationKey(shape.relation)), ...parts].join(' || ')
}

/** Postgres' own spelling of values, whatever the server's settings: what Electric sends, and what followers cast. */
export const TEXT_FORMATS = `SELECT set_config('TimeZone', 'UTC', true), set_config('DateStyle', 'ISO, DMY', true),
  set_config('IntervalStyle', 'iso_8601', true), set_config('bytea_output', 'hex', true), set_config('extra_float_digits', '1', true)`
