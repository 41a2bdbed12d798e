import { LoomError, isLoomError } from '../../../contract/errors.ts'
import { INSTALL_ORG } from '../../caller.ts'
import { connectedPlace } from '../../desktop-settings/default-place.ts'
import { sagaById } from '../../erasure/sagas.ts'
import { writeAudit } from '../../store/audit.ts'
import { patternById } from '../../store/blacklist.ts'
import { objectFolder } from '../../objects/object-store.ts'
import type { EngineParts } from '../../parts.ts'
import { renewCapture, startCapture, stopCapture } from './capture.ts'
import { forgetConnection, removeRows, storeConnection, storedConnection } from './connection.ts'
import { createLoop, type SyncLoop } from './loop.ts'
import { queueCounts } from './outbox.ts'
import { redeem } from './pairing.ts'
import type { Connection, DesktopSync, SyncOptions } from './port.ts'
import { callerOn, namedErasure, namedPattern, runOnServer, runsOnServer } from './reach.ts'
import { recordChanges } from './record.ts'
import { serverLink } from './server-link.ts'

/**
 * The desktop's side of team sync. Costs nothing while no server is connected.
 * @param partsOf the engine's parts, made after this
 * @param runOp the engine's pipeline, for what a person decides
 */
export function createDesktopSync(
  partsOf: () => EngineParts,
  runOp: DesktopSync['runOp'],
  options: SyncOptions,
  stored: Connection | null,
): DesktopSync {
  let connection = stored
  const placeOf = options.defaultPlace ?? connectedPlace
  let following = false
  const loop: SyncLoop = createLoop({
    partsOf,
    options,
    connection: () => connection,
    update: (next) => void (connection = next),
    wipe: async () => void (await forget({ keepRows: false })),
  })

  async function forget({ keepRows }: { readonly keepRows: boolean }): Promise<number> {
    const { database, index, library, objects } = partsOf()
    const left = connection
    if (!left) return 0
    const ids: string[] = []
    const removed = await database.transaction(async (tx) => {
      await stopCapture(tx)
      if (!keepRows) {
        const rows = await tx.selectFrom('memory').select('memory_id').where('org', '=', left.org).execute()
        ids.push(...rows.map((row) => row.memory_id))
      }
      await forgetConnection(tx, left.org)
      return keepRows ? 0 : removeRows(tx, left.org)
    })
    for (const id of ids) index.remove(id)
    if (!keepRows) for (const shelf of Object.values(library)) shelf.forget(left.org, null)
    connection = null
    await options.secrets.remove()
    if (!keepRows) for (const name of await objects.list(objectFolder({ org: left.org }))) await objects.remove(name)
    return removed
  }

  return {
    runOp,
    get connection() {
      return connection
    },
    get state() {
      return loop.state
    },
    callerFor: (contract, input, caller) => callerOn(connection, placeOf(connection), contract, input, caller),
    isForwarded(contract, input, caller) {
      if (connection === null) return false
      const erasure = namedErasure(contract, input, caller)
      if (erasure !== null) return sagaById(partsOf().database.reader, erasure, INSTALL_ORG).then((own) => own === null)
      if (caller.claims.org !== connection.org) return false
      if (runsOnServer(connection, contract, input, caller)) return true
      const pattern = namedPattern(contract, input)
      if (pattern === null) return false
      return patternById(partsOf().database.reader, connection.org, pattern).then((row) => row !== null && row.scope !== 'namespace')
    },
    async forward(contract, input, context) {
      if (connection === null || connection.revoked)
        throw new LoomError('UNAVAILABLE', 'The team server does not take this device any more. Pair it anew.')
      const { serverUrl, token } = connection
      return runOnServer(serverLink({ serverUrl, token, fetch: options.fetch }), contract, input, context)
    },
    async record(context, answer) {
      const { replay, identity } = context
      if (connection === null || replay === undefined || identity.org !== connection.org) return
      const made = await recordChanges(replay, answer, context, connection.erasureSeq)
      if (made > 0) context.afterCommit(() => loop.kick())
    },
    async connect(input, actor) {
      if (connection !== null)
        throw new LoomError('ALREADY_EXISTS', `This desktop is connected to ${connection.serverUrl} already. Disconnect it first.`)
      const parts = partsOf()
      const made = await redeem(parts, options, input)
      await parts.database.transaction(async (tx) => {
        await storeConnection(tx, made, new Date(parts.clock()))
        await startCapture(tx, made.org)
        await writeAudit(tx, [
          {
            op: 'sync.connect',
            at: new Date(parts.clock()),
            org: 'dev',
            actor,
            requestId: '',
            subject: `server:-/-/-/${made.serverId}`,
            namespace: '',
          },
        ])
      })
      connection = made
      if (following) loop.start()
      return made
    },
    async disconnect({ keepRows, discardQueue }) {
      if (connection === null) return { disconnected: false, rowsRemoved: 0 }
      const { queued } = await queueCounts(partsOf().database.reader, connection.org)
      if (queued > 0 && !discardQueue)
        throw new LoomError('IN_PROGRESS', `${queued} changes have not reached the server. Sync first, or send discard_queue: true.`, {
          queued,
        })
      await loop.stop()
      return { disconnected: true, rowsRemoved: await forget({ keepRows }) }
    },
    queued: () => loop.kick(),
    start() {
      following = true
      if (connection === null) return
      // What comes from the server goes into a full index.
      const begin = (): void => void (following && connection !== null && loop.start())
      partsOf().fill.filled().then(begin, begin)
    },
    get isFollowing() {
      return following
    },
    async once(patienceMs) {
      await partsOf().fill.filled()
      await loop.once(patienceMs)
    },
    async stop() {
      following = false
      await loop.stop()
    },
  }
}

/** The connection that an install was left with, whose changes are captured from here on; null where it has none. */
export async function connectionOfInstall(parts: Pick<EngineParts, 'database' | 'log'>, options: SyncOptions): Promise<Connection | null> {
  const stored = await storedConnection(parts.database.reader, '')
  if (stored === null) return null
  await renewCapture(parts.database, stored.org)
  try {
    const secrets = await options.secrets.read()
    return { ...stored, token: secrets?.token ?? '' }
  } catch (error) {
    if (!isLoomError(error)) parts.log.warn({ err: error }, 'the secrets of the team server could not be read')
    return stored
  }
}
