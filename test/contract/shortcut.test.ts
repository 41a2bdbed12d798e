import { describe, expect, test } from 'vitest'
import { acceleratorOf, isShortcut, shortcutOf, shortcutWords, type Pressed } from '../../shared/contract/shortcut.ts'

const pressed = (key: string, code: string, held: Partial<Pressed> = {}): Pressed => ({
  key,
  code,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
})

describe('a shortcut', () => {
  test('is modifiers, one at least besides Shift, and one key; or nothing', () => {
    for (const good of ['', 'Mod+Shift+M', 'Mod+Shift+Space', 'Alt+F4', 'Ctrl+Alt+Shift+9', 'Super+PageUp', 'Mod+,'])
      expect(isShortcut(good), good).toBe(true)
    for (const bad of [
      'M',
      'Shift+M',
      'Mod',
      'Mod+',
      '+M',
      'Mod+MM',
      'Mod+F25',
      'Mod+Mod+M',
      'mod+M',
      'Mod+ä',
      'Mod+M\0',
      ' Mod+M',
      'Mod++',
    ])
      expect(isShortcut(bad), JSON.stringify(bad)).toBe(false)
  })

  test('is named as Electron, and as the keyboard, names it', () => {
    expect(acceleratorOf('Mod+Shift+M')).toBe('CommandOrControl+Shift+M')
    expect(acceleratorOf('Ctrl+Alt+K')).toBe('Control+Alt+K')
    expect(shortcutWords('Mod+Shift+M', false)).toBe('Ctrl Shift M')
    expect(shortcutWords('Mod+Alt+M', true)).toBe('Cmd Option M')
  })

  test('is what was pressed, whatever Shift and Option make of the key', () => {
    expect(shortcutOf(pressed('M', 'KeyM', { ctrlKey: true, shiftKey: true }), false)).toBe('Mod+Shift+M')
    expect(shortcutOf(pressed('µ', 'KeyM', { metaKey: true, altKey: true }), true)).toBe('Mod+Alt+M')
    expect(shortcutOf(pressed('!', 'Digit1', { altKey: true, shiftKey: true }), false)).toBe('Alt+Shift+1')
    expect(shortcutOf(pressed(' ', 'Space', { ctrlKey: true, shiftKey: true }), false)).toBe('Mod+Shift+Space')
    expect(shortcutOf(pressed('Control', 'ControlLeft', { ctrlKey: true }), false)).toBeNull()
    expect(shortcutOf(pressed('m', 'KeyM'), false)).toBeNull()
  })
})
