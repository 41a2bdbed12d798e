import { describe, expect, it } from 'vitest'
import { LoomError } from '../../../../shared/contract/errors.ts'
import { EVENT_TYPES } from '../../../../shared/contract/webhook.ts'
import {
  emptyFields,
  faultOfRegister,
  faultOfWebhook,
  registerInput,
  type WebhookFields,
} from '../../../../renderer/screens/settings/webhook-input.ts'
import { outcomeWords, reasonWords } from '../../../../renderer/screens/settings/webhook-words.ts'

const fields = (more: Partial<WebhookFields> = {}): WebhookFields => ({
  ...emptyFields('acme/chat'),
  url: 'https://hooks.example.com/loom',
  ...more,
})

describe('the form that registers a webhook', () => {
  it('offers a secret of the org, named after the namespace, and every kind of change', () => {
    expect(emptyFields('acme/chat').secretRef).toBe('LOOM_WEBHOOK_SECRET_ACME__CHAT')
    expect(emptyFields('a-b/my.notes').secretRef).toBe('LOOM_WEBHOOK_SECRET_A_DB__MY_NOTES')
    expect([...emptyFields('acme/chat').events]).toEqual([...EVENT_TYPES])
  })

  it('says what is missing before anything is sent', () => {
    expect(faultOfWebhook(fields())).toBeNull()
    expect(faultOfWebhook(fields({ url: ' ' }))).toMatchObject({ field: 'url' })
    expect(faultOfWebhook(fields({ url: 'hooks.example.com' }))).toMatchObject({ field: 'url' })
    expect(faultOfWebhook(fields({ url: 'ftp://hooks.example.com' }))).toMatchObject({ field: 'url' })
    expect(faultOfWebhook(fields({ secretRef: '' }))).toMatchObject({ field: 'secretRef' })
    expect(faultOfWebhook(fields({ events: new Set() }))).toMatchObject({ field: 'events' })
  })

  it('sends the kinds in their order, whatever order they were ticked in', () => {
    const events = new Set(['memory.erased', 'memory.written'] as const)
    expect(registerInput('acme/chat', fields({ url: ' https://hooks.example.com/loom ', events }))).toEqual({
      namespace: 'acme/chat',
      url: 'https://hooks.example.com/loom',
      secret_ref: 'LOOM_WEBHOOK_SECRET_ACME__CHAT',
      events: ['memory.written', 'memory.erased'],
    })
  })

  it('shows a refusal at the field that it is about', () => {
    const refused = (field: string) => new LoomError('INVALID_ARGUMENT', `${field} is wrong.`, { field })
    expect(faultOfRegister(refused('secret_ref'))).toEqual({ field: 'secretRef', text: 'secret_ref is wrong.' })
    expect(faultOfRegister(refused('url'))).toMatchObject({ field: 'url' })
    expect(faultOfRegister(refused('limit'))).toMatchObject({ field: null })
    expect(faultOfRegister(new LoomError('ADDRESS_REFUSED', 'No.'))).toMatchObject({ field: 'url' })
    expect(faultOfRegister(new LoomError('UNAVAILABLE', 'It is down.'))).toEqual({
      field: null,
      text: 'Nothing was registered. It is down.',
    })
  })
})

it('says how an attempt went', () => {
  expect(outcomeWords(500, '')).toBe('it answered 500')
  expect(outcomeWords(null, 'timeout')).toBe('no answer within 10 seconds')
  expect(outcomeWords(null, '')).toBe('')
  expect(reasonWords('connection: ECONNREFUSED')).toBe('no connection (ECONNREFUSED)')
  expect(reasonWords('webhook removed')).toBe('webhook removed')
})
