import type { OpContract } from '../../contract/declare.ts'
import type { OpName } from '../../contract/registry.ts'
import { blacklistAdd } from './blacklist/add.ts'
import { engineInfo } from './engine/info.ts'
import { memoryDelete } from './memory/delete.ts'
import { memoryGet } from './memory/get.ts'
import { memoryGetById } from './memory/get_by_id.ts'
import { memoryHistory } from './memory/history.ts'
import { memoryList } from './memory/list.ts'
import { memoryLock } from './memory/lock.ts'
import { memoryPin } from './memory/pin.ts'
import { memoryRestore } from './memory/restore.ts'
import { memorySearch } from './memory/search.ts'
import { memorySet } from './memory/set.ts'
import { memoryUnlock } from './memory/unlock.ts'
import { memoryUnpin } from './memory/unpin.ts'
import { memoryUpdate } from './memory/update.ts'
import { memoryUpdateById } from './memory/update_by_id.ts'
import { namespaceList } from './namespace/list.ts'
import { namespaceRegister } from './namespace/register.ts'

/** The handler of every operation of the contract's registry. Hand-written: a test checks it against the folder. */
export const HANDLERS = {
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
} satisfies Record<OpName, { readonly kind: 'read' | 'write'; readonly contract: OpContract }>
