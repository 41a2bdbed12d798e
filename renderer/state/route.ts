import { useHashLocation } from 'wouter/use-hash-location'

export interface Route {
  readonly namespace: string
  /** The memory that is open, "" for the list alone. */
  readonly id: string
}

const decode = (part: string | undefined): string => {
  try {
    return decodeURIComponent(part ?? '')
  } catch {
    return ''
  }
}

/** Where the window is: `#/namespace/memory-id`. Back and forward of the browser work on it. */
export function useRoute(): [Route, (route: Route, options?: { replace?: boolean }) => void] {
  const [location, navigate] = useHashLocation()
  const [, namespace, id] = location.split('/')
  return [
    { namespace: decode(namespace), id: decode(id) },
    (route, options) => navigate(`/${encodeURIComponent(route.namespace)}${route.id ? `/${encodeURIComponent(route.id)}` : ''}`, options),
  ]
}
