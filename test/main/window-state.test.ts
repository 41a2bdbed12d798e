import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isOwnFrame, toWindowCall } from '../../main/window-guard.ts'
import { readWindowState, visibleBounds, writeWindowState } from '../../main/window-state.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'loom-window-'))
})
afterEach(() => rm(home, { recursive: true }))

const first = { bounds: null, maximized: false, theme: 'system' }

test('size, place and theme are remembered, readable by their owner only', async () => {
  expect(readWindowState(home)).toEqual(first)
  const state = { bounds: { x: 1, y: 2, width: 800, height: 600 }, maximized: true, theme: 'dark' } as const
  writeWindowState(home, state)
  expect(readWindowState(home)).toEqual(state)
  expect((await stat(join(home, 'window.json'))).mode & 0o777).toBe(0o600)
})

test('a broken file, or a broken part of it, is as at the first start', async () => {
  await writeFile(join(home, 'window.json'), '{"bounds":')
  expect(readWindowState(home)).toEqual(first)
  await writeFile(join(home, 'window.json'), '{"bounds":{"x":"left"},"theme":"dark"}')
  expect(readWindowState(home)).toEqual({ ...first, theme: 'dark' })
})

test('a place on a screen that has gone is forgotten', () => {
  const screens = [{ x: 0, y: 0, width: 1280, height: 900 }]
  const place = { x: 100, y: 100, width: 800, height: 600 }
  expect(visibleBounds(place, screens)).toEqual(place)
  expect(visibleBounds({ ...place, x: 2000 }, screens)).toBeNull()
  expect(visibleBounds({ ...place, x: 1250 }, screens)).toBeNull()
  expect(visibleBounds(null, screens)).toBeNull()
})

test('only the main frame of the window’s own page is heard', () => {
  const main = { url: 'app://loom/memories', parent: null }
  expect(isOwnFrame(main, main)).toBe(true)
  expect(isOwnFrame(null, main)).toBe(false)
  expect(isOwnFrame({ ...main }, main)).toBe(false)
  const child = { url: 'app://loom/', parent: main }
  expect(isOwnFrame(child, child)).toBe(false)
  for (const url of ['https://loom/', 'app://other/', 'app://loom.evil/', 'data:text/html,x', 'file:///app.html', '']) {
    const foreign = { url, parent: null }
    expect(isOwnFrame(foreign, foreign)).toBe(false)
  }
})

test('a message of another shape is no call', () => {
  expect(toWindowCall('memory.get', { memory_key: 'k' }, undefined)).toEqual({ op: 'memory.get', input: { memory_key: 'k' }, meta: {} })
  for (const op of [undefined, 1, {}, 'x'.repeat(201)]) expect(toWindowCall(op, {}, {})).toBeNull()
  expect(toWindowCall('memory.get', {}, 'key')).toBeNull()
  expect(toWindowCall('memory.get', {}, null)).toBeNull()
})
