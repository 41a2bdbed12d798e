import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { basename, sep } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { AppCard, AppId } from '../../shared/contract/host-calls.ts'
import { LoomError } from '../../shared/contract/errors.ts'
import { APPS, type AppKind, type Places } from './app-files.ts'
import { type AppRecords } from './app-records.ts'
import { changeLines, snippetOf } from './change-lines.ts'
import { bytesOf, changed, type ConfigFile, keepCopy, nextCopy, readConfigFile, replaceFile, sha256Of } from './config-file.ts'
import { readServers, withEntry } from './edit-text.ts'
import { entryFor, type Entry, type LoomCommand, oddityOf } from './entry.ts'

export interface Apps {
  list(): Promise<AppCard[]>
  /** @throws LoomError PRECONDITION_FAILED when the file is not as `basis` says; INVALID_ARGUMENT when it is left alone. */
  write(id: AppId, basis: string): Promise<void>
  remove(id: AppId, basis: string): Promise<void>
  /** @throws LoomError PRECONDITION_FAILED when the file was changed since. */
  undo(id: AppId): Promise<void>
  test(id: AppId): Promise<void>
  /** Ends the test that runs. */
  stop(id: AppId): void
}

export interface AppsOptions {
  readonly places: Places
  readonly command: LoomCommand
  readonly records: AppRecords
  readonly clock: () => number
  readonly testMs?: number
}

const kindOf = (id: AppId): AppKind => APPS.find((app) => app.id === id) as AppKind

type Looked =
  | { readonly file: null; readonly problem: string }
  | { readonly file: ConfigFile; readonly others: readonly string[]; readonly own: unknown }

/** The MCP clients of a person, and Loom's entry in their files. */
export function createApps({ places, command, records, clock, testMs }: AppsOptions): Apps {
  const tests = new Map<AppId, { readonly stop: AbortController; step: number }>()
  let turn: Promise<unknown> = Promise.resolve()
  /** One change at a time, whoever asks. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work, work)
    turn = mine.catch(() => undefined)
    return mine
  }

  async function look(app: AppKind): Promise<Looked> {
    const file = await readConfigFile(app.file(places))
    if ('problem' in file) return { file: null, problem: file.problem }
    const servers = readServers(file.text, app)
    return 'problem' in servers ? { file: null, problem: servers.problem } : { file, ...servers }
  }

  async function card(app: AppKind): Promise<AppCard> {
    const entry = entryFor(app, command)
    const path = app.file(places)
    const isHere = app.traces(places).some((trace) => existsSync(trace))
    const { change, test } = records.of(app.id)
    const testing = tests.get(app.id)?.step ?? null
    const shared = { id: app.id, name: app.name, file: tilde(path), snippet: snippetOf(app.section, entry), testing, test }
    const plain = { change: changeLines(app.section, [], undefined, entry), others: [], basis: '', copy: '', canUndo: false, exists: false }
    if (!isHere) return { ...shared, ...plain, state: 'absent', problem: '' }
    const found = await look(app)
    if (!found.file) return { ...shared, ...plain, exists: existsSync(path), state: 'unreadable', problem: found.problem }
    const { file, others, own } = found
    const isOurs = isDeepStrictEqual(own, entry)
    const canUndo = change !== null && change.path === file.path && change.after === file.sha256
    return {
      ...shared,
      state: isOurs ? 'connected' : own === undefined ? 'ready' : 'differs',
      problem: isOurs || own === undefined ? '' : oddityOf(app, own, entry),
      exists: file.exists,
      others,
      change: changeLines(app.section, others, isOurs ? undefined : own, entry),
      basis: file.sha256,
      copy: canUndo ? basename(change.copy ?? '') : await nextCopy(file.path),
      canUndo,
    }
  }

  const tilde = (path: string): string => (path.startsWith(`${places.home}${sep}`) ? `~${path.slice(places.home.length)}` : path)

  async function change(id: AppId, basis: string, entry: Entry | null): Promise<void> {
    const app = kindOf(id)
    if (!app.traces(places).some((trace) => existsSync(trace)))
      throw new LoomError('INVALID_ARGUMENT', `${app.name} is not on this computer.`, { field: 'app' })
    const found = await look(app)
    if (!found.file) throw leftAlone(app, found.problem)
    const { file } = found
    if (file.sha256 !== basis) throw changed()
    const edited = withEntry(file.text, app, entry)
    if ('problem' in edited) throw leftAlone(app, edited.problem)
    const bytes = bytesOf(file, edited.text)
    if (file.exists && bytes.equals(file.bytes)) return
    const copy = file.exists ? await keepCopy(file) : null
    // Told before it is done: what a killed process wrote can be taken back, what it did not write is not offered.
    await records.keep(id, { change: { path: file.path, copy, before: file.sha256, after: sha256Of(bytes) }, test: null })
    await replaceFile(file, bytes)
  }

  async function undo(id: AppId): Promise<void> {
    const { change: last } = records.of(id)
    const file = await readConfigFile(kindOf(id).file(places))
    if (last === null || 'problem' in file || file.path !== last.path || file.sha256 !== last.after)
      throw new LoomError('PRECONDITION_FAILED', 'The file was changed since. Take the entry out instead: the rest stays as it is now.')
    const bytes = last.copy === null ? null : await readFile(last.copy).catch(() => undefined)
    if (bytes === undefined || (bytes !== null && sha256Of(bytes) !== last.before))
      throw new LoomError(
        'PRECONDITION_FAILED',
        `The copy ${basename(last.copy ?? '')} is gone or was changed. Take the entry out instead.`,
      )
    await replaceFile(file, bytes)
    await records.keep(id, { change: null, test: null })
    if (last.copy !== null) await rm(last.copy, { force: true })
  }

  async function test(id: AppId): Promise<void> {
    if (tests.has(id)) return
    const app = kindOf(id)
    const running = { stop: new AbortController(), step: 1 }
    tests.set(id, running)
    try {
      const found = await look(app)
      if (!found.file || !isDeepStrictEqual(found.own, entryFor(app, command)))
        throw new LoomError('INVALID_ARGUMENT', `The file of ${app.name} does not have the entry as Loom writes it.`, { field: 'app' })
      // Loaded only now: no start of Loom needs a client of MCP.
      const { tryEntry } = await import('./try-entry.ts')
      const result = await tryEntry(command, running.stop.signal, (step) => (running.step = Math.min(step, 3)), testMs)
      await records.keep(id, { test: { ...result, passed: [...result.passed], at: new Date(clock()).toISOString() } })
    } finally {
      tests.delete(id)
    }
  }

  return {
    list: () => Promise.all(APPS.map(card)),
    write: (id, basis) => inTurn(() => change(id, basis, entryFor(kindOf(id), command))),
    remove: (id, basis) => inTurn(() => change(id, basis, null)),
    undo: (id) => inTurn(() => undo(id)),
    test,
    stop: (id) => tests.get(id)?.stop.abort(),
  }
}

function leftAlone(app: AppKind, problem: string): LoomError {
  return new LoomError('INVALID_ARGUMENT', `The file of ${app.name} is left as it is. ${problem}`, { field: 'app' })
}
