import { Notification } from 'electron'
import type { IpcReply } from '../shared/transport/ipc.ts'
import type { WindowCall } from './engine-messages.ts'
import { noticesOf, type Notice, type Standing } from './attention.ts'

/** How often it is looked at what needs a person, in milliseconds. */
const LOOK_EVERY_MS = 20_000

interface NoticeOptions {
  readonly call: (call: WindowCall) => Promise<IpcReply>
  /** The person is not told of what the window before them shows. */
  readonly isWanted: () => boolean
  readonly onOpen: (place: Notice['place']) => void
}

/** Tells of what needs a person, through the system. Answers how to look now, and how to stop. */
export function watchNotices({ call, isWanted, onOpen }: NoticeOptions): { look: () => Promise<void>; stop: () => void } {
  let before: Standing | null = null
  /** Those that may still be clicked: Electron forgets what nobody holds. */
  const shown = new Set<Notification>()

  const show = ({ title, body, place }: Notice): void => {
    const notice = new Notification({ title, body })
    shown.add(notice)
    notice.once('click', () => {
      shown.delete(notice)
      onOpen(place)
    })
    notice.once('close', () => shown.delete(notice))
    notice.show()
  }
  const look = async (): Promise<void> => {
    const sync = await call({ op: 'sync.status', input: {}, meta: {} })
    const erasures = await call({ op: 'erasure.list', input: { status: 'failed' }, meta: {} })
    if (!sync.ok || !erasures.ok) return
    const { rows } = erasures.value as unknown as { rows: readonly { erasure_id: string }[] }
    const now: Standing = { sync: sync.value as unknown as Standing['sync'], failed: rows.map((row) => row.erasure_id) }
    const notices = noticesOf(before, now)
    before = now
    if (isWanted() && Notification.isSupported()) for (const notice of notices) show(notice)
  }
  const timer = setInterval(() => void look(), LOOK_EVERY_MS)
  void look()
  return { look, stop: () => clearInterval(timer) }
}
