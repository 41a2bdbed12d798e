import type { Columns } from '../../../shared/client/importing/columns.ts'
import type { Claim, Found, Problem } from '../../../shared/client/importing/found.ts'
import { readSource, type Format } from '../../../shared/client/importing/importers.ts'

/** What a source holds, read to its end. */
export interface Reading {
  readonly claims: readonly Claim[]
  readonly texts: readonly string[]
  readonly problems: readonly Problem[]
  readonly formats: readonly Format[]
  readonly left: Readonly<Record<string, number>>
  readonly found: readonly Found[]
}

export async function* inPieces(bytes: Uint8Array, size = bytes.length): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += Math.max(1, size)) yield bytes.subarray(at, at + Math.max(1, size))
}

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Reads bytes, given in pieces of some size; the name says nothing of what they are. */
export async function readAll(source: Uint8Array | string, columns: Columns = {}, piece?: number): Promise<Reading> {
  const bytes = typeof source === 'string' ? utf8(source) : source
  const formats: Format[] = []
  const found: Found[] = []
  const left: Record<string, number> = {}
  for await (const one of readSource({ path: 'upload', bytes: inPieces(bytes, piece) }, columns, {
    file: (_path, format) => void formats.push(format),
  })) {
    found.push(one)
    if (one.kind === 'left') left[one.reason] = (left[one.reason] ?? 0) + 1
  }
  const claims = found.flatMap((one) => (one.kind === 'claim' ? [one.claim] : []))
  return {
    claims,
    texts: claims.map((claim) => claim.text),
    problems: found.flatMap((one) => (one.kind === 'problem' ? [one.problem] : [])),
    formats,
    left,
    found,
  }
}
