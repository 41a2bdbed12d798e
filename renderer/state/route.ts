import { useHashLocation } from 'wouter/use-hash-location'

export type Screen = 'memories' | 'review'

export interface Route {
  readonly screen: Screen
  readonly namespace: string
  /** The memory, or the item of the queue, that is open; "" for the list alone. */
  readonly id: string
}

const decode = (part: string | undefined): string => {
  try {
    return decodeURIComponent(part ?? '')
  } catch {
    return ''
  }
}

const REVIEW = 'review'

/** `#/namespace/memory-id`, or `#/namespace/review/item-id`: no memory has an id of that form. */
export function routeOf(location: string): Route {
  const [, namespace, second, third] = location.split('/').map(decode)
  if (second === REVIEW) return { screen: 'review', namespace: namespace ?? '', id: third ?? '' }
  return { screen: 'memories', namespace: namespace ?? '', id: second ?? '' }
}

export function pathOf({ screen = 'memories', namespace, id = '' }: Target): string {
  const parts = [namespace, ...(screen === 'review' ? [REVIEW] : []), ...(id ? [id] : [])]
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
