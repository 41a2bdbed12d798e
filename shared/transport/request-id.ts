import { v7 } from 'uuid'

const SANE = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/

/** The id that a caller gave its request, if it can stand in a log line and a header, else a new one. */
export function requestIdFrom(given: string | undefined): string {
  return given !== undefined && SANE.test(given) ? given : v7()
}
