import { describe, expect, it } from 'vitest'
import { LoomError } from '../../../../shared/contract/errors.ts'
import { faultFrom } from '../../../../renderer/screens/settings/connect-fault.ts'
import {
  connectInput,
  faultOf,
  isUnencrypted,
  NO_FIELDS,
  readLink,
  serverOf,
  type ConnectFields,
} from '../../../../renderer/screens/settings/connect-input.ts'

const LINK = 'loom://pair?server=https%3A%2F%2Floom.acme.example&code=7F3K-Q2ZD-M8VA'
const OPEN = 'loom://pair?server=http%3A%2F%2Floom.acme.example&code=7F3K-Q2ZD-M8VA'
const fields = (more: Partial<ConnectFields>): ConnectFields => ({ ...NO_FIELDS, ...more })

describe('the form that connects a team', () => {
  it('says where a link leads, before anything is sent', () => {
    expect(readLink(` ${LINK}\n`)).toEqual({ server: 'https://loom.acme.example', code: '7F3K-Q2ZD-M8VA' })
    for (const bad of ['', 'https://loom.acme.example', 'loom://pair?code=X', 'loom://pair?server=ftp%3A%2F%2Fx&code=X']) {
      expect(readLink(bad), bad).toBeNull()
    }
  })

  it('takes an address without its protocol as an encrypted one', () => {
    expect(serverOf(fields({ byHand: true, server: 'loom.acme.example' }))?.href).toBe('https://loom.acme.example/')
    expect(isUnencrypted(fields({ byHand: true, server: 'loom.acme.example' }))).toBe(false)
  })

  it('asks for leave only where what is sent could be read on the way', () => {
    expect(isUnencrypted(fields({ link: LINK }))).toBe(false)
    expect(isUnencrypted(fields({ link: OPEN }))).toBe(true)
    for (const server of ['http://localhost:7788', 'http://127.0.0.1:7788', 'http://[::1]:7788']) {
      expect(isUnencrypted(fields({ byHand: true, server })), server).toBe(false)
    }
    expect(faultOf(fields({ link: OPEN }))).toMatchObject({ field: 'allowHttp' })
    expect(faultOf(fields({ link: OPEN, allowHttp: true }))).toBeNull()
    expect(connectInput(fields({ link: OPEN, allowHttp: true }))).toEqual({ link: OPEN, allow_http: true })
    // Leave that is not needed is not given.
    expect(connectInput(fields({ link: LINK, allowHttp: true }))).toEqual({ link: LINK })
  })

  it('sends either a link or an address with a code, and what else was filled in', () => {
    expect(connectInput(fields({ link: ` ${LINK} `, device: ' alice-mbp ', useNamespace: ' chat ' }))).toEqual({
      link: LINK,
      device_name: 'alice-mbp',
      use_namespace: 'chat',
    })
    expect(connectInput(fields({ byHand: true, link: LINK, server: 'https://x.example', code: ' abcd-efgh-jkmn ' }))).toEqual({
      server_url: 'https://x.example/',
      code: 'abcd-efgh-jkmn',
    })
  })

  it.each([
    ['no link', {}, 'link', /Paste the link/],
    ['no pairing link', { link: 'https://loom.acme.example' }, 'link', /no pairing link/],
    ['no address', { byHand: true, code: 'X' }, 'server', /address/],
    ['no code', { byHand: true, server: 'https://x.example' }, 'code', /code/],
    ['no namespace', { link: LINK, useNamespace: 'Our Chat' }, 'useNamespace', /namespace/],
  ] as const)('says what is missing: %s', (_what, given, field, words) => {
    const fault = faultOf(fields(given))
    expect(fault?.field).toBe(field)
    expect(fault?.text).toMatch(words)
  })
})

describe('a refused connect', () => {
  const refused = (code: ConstructorParameters<typeof LoomError>[0], more: Record<string, unknown> = {}, byHand = false) =>
    faultFrom(new LoomError(code, 'The engine says so.', more), byHand)

  it('ends with what to do next', () => {
    expect(refused('NOT_FOUND')).toMatchObject({ field: 'link', text: expect.stringMatching(/Ask for a new one/) })
    expect(refused('NOT_FOUND', {}, true)).toMatchObject({ field: 'code' })
    expect(refused('ALREADY_EXISTS').text).toMatch(/Disconnect it first/)
    expect(refused('UNAVAILABLE').text).toMatch(/^The engine says so\. Nothing was used up.*connect again/)
    expect(refused('RATE_LIMITED', { retry_after_s: 42 }).text).toMatch(/Wait 42 seconds/)
    expect(refused('INVALID_ARGUMENT', { field: 'use_namespace' })).toMatchObject({
      field: 'useNamespace',
      text: expect.stringMatching(/the link still works/),
    })
    expect(faultFrom(new TypeError('Failed to fetch'), false)).toEqual({ field: null, text: 'Failed to fetch' })
  })

  it('stands at the field that the form shows', () => {
    expect(refused('INVALID_ARGUMENT', { field: 'server_url' }).field).toBe('link')
    expect(refused('INVALID_ARGUMENT', { field: 'server_url' }, true).field).toBe('server')
    expect(refused('INVALID_ARGUMENT', { field: 'link' }, true).field).toBe('server')
    expect(refused('INVALID_ARGUMENT', {}).field).toBeNull()
  })
})
