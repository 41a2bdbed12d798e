import { describe, expect, it } from 'vitest'
import { firstForm, mayAny, namesOf, readForm, rightsIn, toggleName, type ScopeForm } from '../../../../renderer/screens/privacy/scope.ts'

const form = (more: Partial<ScopeForm>): ScopeForm => ({ kind: 'user_id', user: '', namespace: '', several: '', ...more })
const rights = (grants: Record<string, string>, isBound = false) => rightsIn({ grants, isBound })

describe('who may erase and export what', () => {
  it('is an org admin for all, an admin of a namespace for that one', () => {
    expect(rights({ '*': 'org_admin' })).toEqual({ all: true, anyNamespace: true, namespaces: [] })
    expect(rights({ '*': 'platform_admin' }).all).toBe(true)
    expect(rights({ '*': 'admin' })).toMatchObject({ all: false, anyNamespace: true })
    expect(rights({ chat: 'admin', ops: 'writer' })).toEqual({ all: false, anyNamespace: false, namespaces: ['chat'] })
    expect(mayAny(rights({ chat: 'writer', '*': 'viewer' }))).toBe(false)
    expect(mayAny(rights({ '*': 'org_admin' }, true))).toBe(false)
  })

  it('opens the form with what the person may ask for', () => {
    expect(firstForm(rights({ '*': 'org_admin' }), 'chat').kind).toBe('user_id')
    expect(firstForm(rights({ ops: 'admin' }), 'chat')).toMatchObject({ kind: 'namespace', namespace: 'ops' })
    expect(firstForm(rights({ chat: 'admin', ops: 'admin' }), 'ops').namespace).toBe('ops')
  })
})

describe('the scope in the form', () => {
  it('is read as the operation takes it, with what has to be typed', () => {
    expect(readForm(form({ user: ' u-58 ' }))).toEqual({
      scope: { scope_type: 'user_id', scope_value: 'u-58' },
      problem: '',
      phrase: 'u-58',
    })
    expect(readForm(form({ kind: 'namespace', namespace: 'chat' })).scope).toEqual({ scope_type: 'namespace', scope_value: 'chat' })
    expect(readForm(form({ kind: 'namespace_list', several: 'b, a b\nc' }))).toEqual({
      scope: { scope_type: 'namespace_list', scope_value: '["a","b","c"]' },
      problem: '',
      phrase: '3 namespaces',
    })
    expect(readForm(form({ kind: 'namespace_list', several: 'chat' })).phrase).toBe('chat')
  })

  it('says what is wrong with it, and nothing before anything was typed', () => {
    expect(readForm(form({}))).toEqual({ scope: null, problem: '', phrase: '' })
    expect(readForm(form({ user: '-' }))).toMatchObject({ scope: null, problem: expect.stringContaining('no user id') as string })
    expect(readForm(form({ user: 'a\u0000b' })).scope).toBeNull()
    expect(readForm(form({ kind: 'namespace', namespace: 'Chat Room' })).problem).toContain('“Chat Room”')
    expect(readForm(form({ kind: 'namespace_list', several: 'a, B' })).problem).toContain('“B”')
    const many = Array.from({ length: 501 }, (_, at) => `n${at}`).join(' ')
    expect(readForm(form({ kind: 'namespace_list', several: many })).problem).toContain('at most 500')
  })

  it('takes a name in and out again', () => {
    expect(namesOf(toggleName('a, c', 'b'))).toEqual(['a', 'c', 'b'].toSorted())
    expect(toggleName('a, b', 'b')).toBe('a')
  })
})
