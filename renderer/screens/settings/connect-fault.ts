import { isLoomError } from '../../../shared/contract/errors.ts'
import { messageOf } from '../../text/message-of.ts'
import type { ConnectField, Fault } from './connect-input.ts'
import { CONNECT } from './strings.ts'

const FIELDS: Readonly<Record<string, ConnectField>> = {
  link: 'link',
  server_url: 'server',
  code: 'code',
  use_namespace: 'useNamespace',
  allow_http: 'allowHttp',
}

/** A refused or unanswered connect, in words that end with what to do next. */
export function faultFrom(error: unknown, byHand: boolean): Fault {
  const say = CONNECT.faults
  if (!isLoomError(error)) return { field: null, text: say.other(messageOf(error)) }
  const { code, fields, message } = error
  switch (code) {
    case 'NOT_FOUND':
      return { field: byHand ? 'code' : 'link', text: byHand ? say.usedCode : say.usedLink }
    case 'ALREADY_EXISTS':
      return { field: null, text: say.connected }
    case 'UNAVAILABLE':
      return { field: null, text: say.unreachable(message) }
    case 'RATE_LIMITED':
      return { field: null, text: say.tooMany(Number(fields['retry_after_s'] ?? 60)) }
    case 'FORBIDDEN':
      return { field: null, text: say.notYours }
    case 'INVALID_ARGUMENT':
      return fieldFault(typeof fields['field'] === 'string' ? fields['field'] : '', message, byHand)
    default:
      return { field: null, text: say.other(message) }
  }
}

function fieldFault(name: string, message: string, byHand: boolean): Fault {
  const field = FIELDS[name] ?? null
  if (field === 'useNamespace') return { field, text: CONNECT.faults.notGranted }
  // The engine names the field that the call had; the form may show another.
  const shown = byHand && field === 'link' ? 'server' : !byHand && (field === 'server' || field === 'code') ? 'link' : field
  return { field: shown, text: CONNECT.faults.other(message) }
}
