import type { EngineEvent } from '../contract/events.ts'
import type { Input, OpContract, Output } from '../contract/declare.ts'
import type { Caller } from './caller.ts'
import type { EngineParts } from './parts.ts'
import type { Reader, Tx } from './db/database.ts'
import type { Given, Identity } from './identity.ts'
import type { RowChange } from './webhooks/row-change.ts'

/** How the server is to run a write again, once this desktop meets it. */
export interface Replay {
  readonly op: string
  /** The operation called, where it is split into those of its rows. */
  readonly via: string
  readonly args: Readonly<Record<string, unknown>>
  /** memory_id of the row that one transaction of many is about. */
  readonly row?: string
}

/** What every handler is told about its call. */
export interface CallContext {
  readonly caller: Caller
  readonly actor: string
  /** The five identity fields as filled; "" where the operation needs none. */
  readonly identity: Identity
  /** Those that the call itself named, `-` (and `*` for agent) counting as none. */
  readonly given: Given
  readonly now: Date
  readonly parts: EngineParts
  /** The org's erasure number when the call began to read; left out where every read is in the transaction. */
  readonly erasureSince?: bigint
  /** Models that fell back during the call. */
  readonly degraded: Set<string>
  /** Of operations that are replayed. */
  readonly replay?: Replay
}

/** Reads hold a handle that reads, and may leave work for after the answer. */
export interface ReadContext extends CallContext {
  readonly db: Reader
}

/** Slow work before the transaction: reads, models, network. */
export type PrepareContext = ReadContext

/** Writes hold one transaction and nothing else that can query. */
export interface WriteContext extends CallContext {
  readonly tx: Tx
  /** Tells of a changed memory row: webhooks hear of it with the commit. */
  changed(change: RowChange): void
  /** Delivered to windows and watchers after the commit. */
  emit(event: EngineEvent): void
  /** Runs after the commit, before the answer: what memory holds besides the store. */
  afterCommit(work: () => void): void
  /** Runs in a transaction of its own when this one was rolled back. */
  afterRollback(work: (tx: Tx) => Promise<void>): void
}

export interface ReadHandler<C extends OpContract = OpContract> {
  readonly kind: 'read'
  readonly contract: C
  run(input: Input<C>, context: ReadContext): Promise<Output<C>>
}

export interface WriteHandler<C extends OpContract = OpContract, P = unknown, A = unknown> {
  readonly kind: 'write'
  readonly contract: C
  /** Slow work that depends on the input alone, such as embedding. */
  prepare?(input: Input<C>, context: PrepareContext): Promise<P>
  /** Name of the lock held in this process from `assess` to after the commit. */
  exclusive?(input: Input<C>, context: PrepareContext): string | Promise<string>
  /** Slow work that depends on what the store holds, such as judging. */
  assess?(input: Input<C>, prepared: P, context: PrepareContext): Promise<A>
  run(input: Input<C>, context: WriteContext, prepared: P, assessed: A): Promise<Output<C>>
}

/** A write of many transactions, each whole by itself: a failure leaves what came before it. */
export interface BatchHandler<C extends OpContract = OpContract> {
  readonly kind: 'write'
  readonly contract: C
  runAll(input: Input<C>, context: PrepareContext): Promise<Output<C>>
}

export type Handler = ReadHandler | WriteHandler | BatchHandler

export function defineRead<C extends OpContract>(contract: C, run: ReadHandler<NoInfer<C>>['run']): ReadHandler<C> {
  return { kind: 'read', contract, run }
}

export function defineWrite<C extends OpContract, P = undefined, A = undefined>(
  contract: C,
  parts: Omit<WriteHandler<NoInfer<C>, P, A>, 'kind' | 'contract'>,
): WriteHandler<C, P, A> {
  return { kind: 'write', contract, ...parts }
}

/** Work that goes in transactions of its own making (`transact`), such as a bulk write. */
export function defineBatch<C extends OpContract>(contract: C, runAll: BatchHandler<NoInfer<C>>['runAll']): BatchHandler<C> {
  return { kind: 'write', contract, runAll }
}
