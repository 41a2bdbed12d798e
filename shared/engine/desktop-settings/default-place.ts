import { LoomError } from '../../contract/errors.ts'
import { INSTALL_ORG } from '../caller.ts'
import type { Connection } from '../sync/desktop/port.ts'
import type { DesktopSettings } from './settings.ts'

/** Where a call goes that names no org and no namespace. */
export interface Place {
  readonly org: string
  readonly namespace: string
}

/** The place that the connection was made with, for calls that name none; null: the install's own. */
export function connectedPlace(connection: Connection | null): Place | null {
  return connection && connection.useNamespace !== '' ? { org: connection.org, namespace: connection.useNamespace } : null
}

/**
 * The place that the setting names while its org is the install's own or that of the connected server; else what the
 * connection was made with. Null: the install's own namespace.
 */
export function defaultPlace(settings: DesktopSettings, connection: Connection | null): Place | null {
  const given = settings.given('default_namespace')
  if (given !== null) {
    const [org = '', namespace = ''] = given.split('/')
    if (org === INSTALL_ORG || org === connection?.org) return { org, namespace }
  }
  return connectedPlace(connection)
}

/** @throws LoomError INVALID_ARGUMENT for an org that this desktop has nothing of: every call without one would be refused */
export function requireKnownOrg(value: unknown, connection: Connection | null): void {
  if (typeof value !== 'string') return
  const [org = ''] = value.split('/')
  if (org === INSTALL_ORG || org === connection?.org) return
  const orgs = connection === null ? INSTALL_ORG : `${INSTALL_ORG} or ${connection.org}`
  throw new LoomError('INVALID_ARGUMENT', `default_namespace: this desktop has nothing of the org ${org}. Name one of ${orgs}.`, {
    field: 'values.default_namespace',
  })
}
