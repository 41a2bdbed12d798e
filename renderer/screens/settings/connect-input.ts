import type { CallInputOf } from '../../../shared/contract/registry.ts'
import { Name } from '../../../shared/contract/common.ts'
import { CONNECT } from './strings.ts'

/** What a person has put into the form that connects a team. */
export interface ConnectFields {
  /** A pairing link; or, where `byHand`, the two below. */
  readonly link: string
  readonly byHand: boolean
  readonly server: string
  readonly code: string
  readonly device: string
  readonly useNamespace: string
  readonly allowHttp: boolean
}

export type ConnectField = 'link' | 'server' | 'code' | 'useNamespace' | 'allowHttp'
export interface Fault {
  /** Where it lies; null: in none of the fields. */
  readonly field: ConnectField | null
  readonly text: string
}

export const NO_FIELDS: ConnectFields = {
  link: '',
  byHand: false,
  server: '',
  code: '',
  device: '',
  useNamespace: '',
  allowHttp: false,
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** The server that a link leads to, and the code in it; null for what is no pairing link. */
export function readLink(link: string): { readonly server: string; readonly code: string } | null {
  const text = link.trim()
  const url = URL.canParse(text) ? new URL(text) : null
  const server = url?.searchParams.get('server') ?? ''
  const code = url?.searchParams.get('code') ?? ''
  return url?.protocol === 'loom:' && server !== '' && code !== '' && webAddress(server) !== null ? { server, code } : null
}

/** An address as typed, which may leave `https://` to us; null for what is none. */
function webAddress(typed: string): URL | null {
  const text = typed.trim()
  const whole = text.includes('://') ? text : `https://${text}`
  const url = text !== '' && URL.canParse(whole) ? new URL(whole) : null
  return url && (url.protocol === 'http:' || url.protocol === 'https:') ? url : null
}

/** The server that the form leads to, as far as it says. */
export function serverOf(fields: ConnectFields): URL | null {
  return webAddress(fields.byHand ? fields.server : (readLink(fields.link)?.server ?? ''))
}

/** True where what is sent could be read on the way. */
export function isUnencrypted(fields: ConnectFields): boolean {
  const url = serverOf(fields)
  return url !== null && url.protocol === 'http:' && !LOOPBACK.test(url.hostname)
}

/** What stands against sending the form; null when nothing does. */
export function faultOf(fields: ConnectFields): Fault | null {
  if (!fields.byHand && !fields.link.trim()) return { field: 'link', text: CONNECT.faults.noLink }
  if (!fields.byHand && readLink(fields.link) === null) return { field: 'link', text: CONNECT.faults.badLink }
  if (fields.byHand && serverOf(fields) === null) return { field: 'server', text: CONNECT.faults.badServer }
  if (fields.byHand && !fields.code.trim()) return { field: 'code', text: CONNECT.faults.noCode }
  const namespace = fields.useNamespace.trim()
  if (namespace !== '' && !Name.safeParse(namespace).success) return { field: 'useNamespace', text: CONNECT.faults.badNamespace }
  if (isUnencrypted(fields) && !fields.allowHttp) return { field: 'allowHttp', text: CONNECT.faults.unencrypted }
  return null
}

export function connectInput(fields: ConnectFields): CallInputOf<'sync.connect'> {
  const device = fields.device.trim()
  const namespace = fields.useNamespace.trim()
  return {
    ...(fields.byHand ? { server_url: serverOf(fields)?.href ?? '', code: fields.code.trim() } : { link: fields.link.trim() }),
    ...(device && { device_name: device }),
    ...(namespace && { use_namespace: namespace }),
    ...(isUnencrypted(fields) && fields.allowHttp && { allow_http: true }),
  }
}
