import { useHashLocation } from 'wouter/use-hash-location'

export type Screen = 'agents' | 'graph' | 'memories' | 'knowledge' | 'privacy' | 'records' | 'review' | 'settings' | 'timeline'

export interface Route {
  readonly screen: Screen
  readonly namespace: string
  /** The memory (of the timeline and, as any node is, of the graph as well), the document (with its passage), the item of the queue, the section of the settings or of privacy, an erasure, an agent or an app, or the schema of the records that is open; "" for the list alone. */
  readonly id: string
}

const decode = (part: string | undefined): string => {
  try {
    return decodeURIComponent(part ?? '')
  } catch {
    return ''
  }
}

/** Screens beside the memories, by their part of the address. */
const NAMED: ReadonlySet<string> = new Set<Screen>(['agents', 'graph', 'knowledge', 'privacy', 'records', 'review', 'settings', 'timeline'])

/** `#/namespace/memory-id`, or `#/namespace/review/item-id`: no memory has an id of that form. */
export function routeOf(location: string): Route {
  const [, namespace, second, third] = location.split('/').map(decode)
  if (second !== undefined && NAMED.has(second)) return { screen: second as Screen, namespace: namespace ?? '', id: third ?? '' }
  return { screen: 'memories', namespace: namespace ?? '', id: second ?? '' }
}

export function pathOf({ screen = 'memories', namespace, id = '' }: Target): string {
  const parts = [namespace, ...(NAMED.has(screen) ? [screen] : []), ...(id ? [id] : [])]
  return `/${parts.map(encodeURIComponent).join('/')}`
}

/** Address of the page on which an admin settles conflicts and proposals; nothing leads there but its address. */
const ADMIN_QUEUE = '/admin/review_queue'

/** @param path of the page, beside the part of the address that the window changes */
export const isAdminQueue = (path: string): boolean => path.replace(/\/+$/, '') === ADMIN_QUEUE

/** Where to go; without a screen, to the memories. */
export interface Target extends Partial<Route> {
  readonly namespace: string
}

/** Where the window is, for what happens before it is drawn. */
export const routeNow = (): Route => routeOf(window.location.hash.slice(1))

/** Where the window is. Back and forward of the browser work on it. */
export function useRoute(): [Route, (target: Target, options?: { replace?: boolean }) => void] {
  const [location, navigate] = useHashLocation()
  const route = routeOf(location)
  const isFirst = route.namespace === '' && isAdminQueue(window.location.pathname)
  return [isFirst ? { ...route, screen: 'review' } : route, (target, options) => navigate(pathOf(target), options)]
}
