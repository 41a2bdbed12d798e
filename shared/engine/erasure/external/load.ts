import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { LoomError } from '../../../contract/errors.ts'
import type { SecretOf } from '../../webhooks/secrets.ts'
import type { ExternalEraser } from './eraser.ts'
import { httpEraser } from './http.ts'

const isEraser = (made: unknown): made is ExternalEraser =>
  typeof made === 'object' &&
  made !== null &&
  typeof (made as ExternalEraser).name === 'string' &&
  typeof (made as ExternalEraser).erase === 'function'

/**
 * The erasers that LOOM_EXTERNAL_ERASERS names: an http or https address is asked by signed POST, anything else is the
 * path of a module that exports `eraser`.
 * @throws LoomError INVALID_ARGUMENT naming the entry that cannot be used: a server that could not erase does not start
 */
export async function loadErasers(entries: readonly string[], secretOf: SecretOf): Promise<ExternalEraser[]> {
  const made: ExternalEraser[] = []
  for (const entry of entries)
    made.push(/^https?:\/\//.test(entry) ? httpEraser({ url: addressOf(entry), secretOf }) : await moduleOf(entry))
  return made
}

function addressOf(entry: string): URL {
  if (!URL.canParse(entry)) throw unusable(entry, 'is no address')
  return new URL(entry)
}

async function moduleOf(entry: string): Promise<ExternalEraser> {
  const loaded = (await import(/* @vite-ignore */ pathToFileURL(resolve(entry)).href).catch((error: unknown) => {
    throw unusable(entry, 'cannot be loaded', error)
  })) as { eraser?: unknown }
  if (!isEraser(loaded.eraser)) throw unusable(entry, 'exports no `eraser` with a name and an erase function')
  return loaded.eraser
}

function unusable(entry: string, why: string, cause?: unknown): LoomError {
  return new LoomError('INVALID_ARGUMENT', `LOOM_EXTERNAL_ERASERS: ${JSON.stringify(entry)} ${why}.`, {}, { cause })
}
