import { isLoomError } from '../../../shared/contract/errors.ts'
import { EVENT_TYPES, type EventType } from '../../../shared/contract/webhook.ts'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import { secretVariable } from '../../../shared/domain/webhook/secret-variable.ts'
import { placeOf } from '../../data/places.ts'
import { messageOf } from '../../text/message-of.ts'
import { REGISTER as say } from './webhook-strings.ts'

export interface WebhookFields {
  readonly url: string
  readonly secretRef: string
  readonly events: ReadonlySet<EventType>
}

export type WebhookField = 'url' | 'secretRef' | 'events'
export interface WebhookFault {
  /** Null: in none of the fields. */
  readonly field: WebhookField | null
  readonly text: string
}

/** How the name of a secret of the org begins. */
export const secretPrefix = (namespace: string): string => secretVariable(placeOf(namespace).org, '')

/** An empty form, with the name that a secret of the namespace is given most simply. */
export function emptyFields(namespace: string): WebhookFields {
  const name = placeOf(namespace)
    .namespace.toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '_')
  return { url: '', secretRef: `${secretPrefix(namespace)}${name}`, events: new Set(EVENT_TYPES) }
}

/** What stands against sending the form; null when nothing does. The server has the last word. */
export function faultOfWebhook({ url, secretRef, events }: WebhookFields): WebhookFault | null {
  if (!url.trim()) return { field: 'url', text: say.faults.noUrl }
  if (!URL.canParse(url.trim()) || !/^https?:$/.test(new URL(url.trim()).protocol)) return { field: 'url', text: say.faults.badUrl }
  if (!secretRef.trim()) return { field: 'secretRef', text: say.faults.noSecret }
  if (events.size === 0) return { field: 'events', text: say.faults.noEvents }
  return null
}

export function registerInput(namespace: string, { url, secretRef, events }: WebhookFields): CallInputOf<'webhook.register'> {
  return { namespace, url: url.trim(), secret_ref: secretRef.trim(), events: EVENT_TYPES.filter((type) => events.has(type)) }
}

const FIELDS: Readonly<Record<string, WebhookField>> = { url: 'url', secret_ref: 'secretRef', events: 'events' }

/** A refused registration, at the field that it is about. */
export function faultOfRegister(error: unknown): WebhookFault {
  if (!isLoomError(error)) return { field: null, text: say.refused(messageOf(error)) }
  if (error.code === 'ADDRESS_REFUSED') return { field: 'url', text: say.faults.address }
  const field = error.code === 'INVALID_ARGUMENT' ? (FIELDS[String(error.fields['field'])] ?? null) : null
  return { field, text: field ? error.message : say.refused(error.message) }
}
