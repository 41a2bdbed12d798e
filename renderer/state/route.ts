import { useHashLocation } from 'wouter/use-hash-location'

export type Screen = 'memories' | 'review' | 'settings'

export interface Route {
  readonly screen: Screen
  readonly namespace: string
  /** The memory, the item of the queue, or the section of the settings that is open; "" for the list alone. */
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
const NAMED: ReadonlySet<string> = new Set<Screen>(['review', 'settings'])

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

/** Where to go; without a screen, to the memories. */
export interface Target extends Partial<Route> {
  readonly namespace: string
}

/** Where the window is. Back and forward of the browser work on it. */
export function useRoute(): [Route, (target: Target, options?: { replace?: boolean }) => void] {
  const [location, navigate] = useHashLocation()
  return [routeOf(location), (target, options) => navigate(pathOf(target), options)]
}
