import { blacklistAdd } from './ops/blacklist/add.ts'
import { engineInfo } from './ops/engine/info.ts'
import { memoryDelete } from './ops/memory/delete.ts'
import { memoryGet } from './ops/memory/get.ts'
import { memoryGetById } from './ops/memory/get_by_id.ts'
import { memoryHistory } from './ops/memory/history.ts'
import { memoryList } from './ops/memory/list.ts'
import { memoryLock } from './ops/memory/lock.ts'
import { memoryPin } from './ops/memory/pin.ts'
import { memoryRestore } from './ops/memory/restore.ts'
import { memorySearch } from './ops/memory/search.ts'
import { memorySet } from './ops/memory/set.ts'
import { memoryUnlock } from './ops/memory/unlock.ts'
import { memoryUnpin } from './ops/memory/unpin.ts'
import { memoryUpdate } from './ops/memory/update.ts'
import { memoryUpdateById } from './ops/memory/update_by_id.ts'
import { namespaceList } from './ops/namespace/list.ts'
import { namespaceRegister } from './ops/namespace/register.ts'
import type { CallInput, Input, OpContract, Output } from './declare.ts'

/** Every operation this release answers, by wire name. Hand-written: a test checks it against the folder. */
export const REGISTRY = {
  'blacklist.add': blacklistAdd,
  'engine.info': engineInfo,
  'memory.delete': memoryDelete,
  'memory.get': memoryGet,
  'memory.get_by_id': memoryGetById,
  'memory.history': memoryHistory,
  'memory.list': memoryList,
  'memory.lock': memoryLock,
  'memory.pin': memoryPin,
  'memory.restore': memoryRestore,
  'memory.search': memorySearch,
  'memory.set': memorySet,
  'memory.unlock': memoryUnlock,
  'memory.unpin': memoryUnpin,
  'memory.update': memoryUpdate,
  'memory.update_by_id': memoryUpdateById,
  'namespace.list': namespaceList,
  'namespace.register': namespaceRegister,
} as const satisfies Record<string, OpContract>

export type OpName = keyof typeof REGISTRY
export type InputOf<N extends OpName> = Input<(typeof REGISTRY)[N]>
export type CallInputOf<N extends OpName> = CallInput<(typeof REGISTRY)[N]>
export type OutputOf<N extends OpName> = Output<(typeof REGISTRY)[N]> & { ignored_args?: string[]; did_you_mean?: Record<string, string> }

export function isOpName(name: string): name is OpName {
  return Object.hasOwn(REGISTRY, name)
}

export function contractOf(name: OpName): OpContract {
  return REGISTRY[name]
}
