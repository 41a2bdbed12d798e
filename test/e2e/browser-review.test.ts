import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { chromium, needs } from '../helpers/requirements.ts'
import { chosen, modelsReady, pane, reader, row, said, sharedHost, startBrowserHost } from './browser-window.ts'
import { eventually, untilFocused } from './eventually.ts'
import { sideways, violations } from './page-checks.ts'
import { RIVAL, seedPairs, waiting, WINDOW } from './review-pairs.ts'

const queue = (page: Page) => page.getByRole('region', { name: 'Review' })

describe('settling what the judge left open', needs(chromium()), () => {
  const host = sharedHost()
  let spaces = 0
  const counts = (namespace: string) => waiting(host, namespace)
  const get = (namespace: string, memory_key: string) => host.call('memory.get', { namespace, memory_key })
  const space = () => seedPairs(host, `r${++spaces}`)
  async function openReview(namespace: string, options = {}): Promise<Page> {
    const page = await host.open(options, `#/${namespace}`)
    await page.keyboard.press('Control+2')
    await row(page, 'office/hours').waitFor()
    // Keys choose only between two claims that are shown.
    if (!('viewport' in options)) await page.getByRole('button', { name: 'Keep this' }).waitFor()
    return page
  }

  test('[VER018] keeps the other in the reader, and undoes it to the same values', async () => {
    const namespace = await space()
    const page = await host.open({}, `#/${namespace}`)
    await row(page, 'ops/deploys').click()
    const card = reader(page).getByRole('region', { name: 'Conflicts with another memory' })
    await eventually(() => card.locator('mark').allTextContents()).toEqual([
      'Monday to Thursday',
      'Tuesday and Thursday only; never Friday',
    ])
    const before = [await get(namespace, 'ops/deploys'), await get(namespace, 'deploy/window/prod')]
    await card.getByRole('button', { name: 'Keep the other' }).click()
    await eventually(() => said(page).textContent()).toMatch(/^deploy\/window\/prod is kept\. ops\/deploys is retired/)
    await eventually(() => row(page, 'ops/deploys').count()).toBe(0)
    expect(await get(namespace, 'ops/deploys')).toMatchObject({ found: false, reason: 'deleted' })
    expect(await get(namespace, 'deploy/window/prod')).toMatchObject({ found: true, value: WINDOW })

    await page.keyboard.press('u')
    await eventually(() => said(page).textContent()).toMatch(/^Undone/)
    await row(page, 'ops/deploys').click()
    await card.waitFor()
    const after = [await get(namespace, 'ops/deploys'), await get(namespace, 'deploy/window/prod')]
    for (const [at, now] of after.entries()) {
      for (const field of ['value', 'status', 'content_sha256', 'tags', 'memory_id']) expect(now[field]).toEqual(before[at]?.[field])
    }
    expect(await counts(namespace)).toMatchObject({ conflict: 2 })
  })

  test('writes a new one in the place of both, in the reader', async () => {
    const namespace = await space()
    const page = await host.open({}, `#/${namespace}`)
    await row(page, 'ops/deploys').click()
    await reader(page).getByRole('button', { name: 'Write a new one' }).click()
    const field = page.getByRole('textbox', { name: 'The text that stays, under deploy/window/prod' })
    await eventually(() => field.inputValue()).toBe(RIVAL)
    await field.fill('Production deploys run Monday to Thursday; never Friday.')
    await page.keyboard.press('Control+Enter')
    await eventually(() => said(page).textContent()).toMatch(/^deploy\/window\/prod holds the new text/)
    expect(await get(namespace, 'deploy/window/prod')).toMatchObject({ value: 'Production deploys run Monday to Thursday; never Friday.' })
    expect(await get(namespace, 'ops/deploys')).toMatchObject({ found: false })
  })

  test('shows a refusal in its place, and nothing changes', async () => {
    const namespace = await space()
    const of = { namespace, agent: 'ops-bot', memory_key: 'deploy/window/prod' }
    const page = await host.open({}, `#/${namespace}`)
    await row(page, 'ops/deploys').click()
    const keep = reader(page).getByRole('button', { name: 'Keep this one' })
    await keep.waitFor()
    await host.call('memory.lock', { ...of, mode: 'no_delete', reason: 'policy' })
    await keep.click()
    await eventually(() => reader(page).getByRole('alert').textContent()).toMatch(
      /^Nothing was changed: deploy\/window\/prod is locked by .*policy/,
    )
    expect(await said(page).count()).toBe(0)
    await host.call('memory.unlock', of)
    await host.call('memory.pin', { ...of, value: WINDOW })
    await page.keyboard.press('Control+2')
    await row(page, 'ops/deploys').click()
    await eventually(() => pane(page).textContent()).toContain('Monday to')
    await page.keyboard.press('1')
    await eventually(() => pane(page).getByRole('alert').textContent()).toMatch(/^Nothing was changed: deploy\/window\/prod is pinned/)
    await eventually(() => chosen(page).textContent()).toMatch(/ops\/deploys.*Not changed/)
    expect(await counts(namespace)).toMatchObject({ total: 3 })
    expect(await get(namespace, 'deploy/window/prod')).toMatchObject({ found: true, value: WINDOW })
  })

  test('refuses a choice that was made on an older text', async () => {
    const namespace = await space()
    const page = await openReview(namespace)
    await row(page, 'ops/deploys').click()
    await eventually(() => pane(page).textContent()).toContain('Monday to')
    // Past the window's own news of it: the choice is on its way before the change is shown.
    await page.route('**/v1/**', async (route) => {
      if (route.request().url().includes('conflicts.resolve')) {
        await host.call('memory.update', { namespace, memory_key: 'ops/deploys', value: 'Production deploys run Monday to Wednesday.' })
      }
      await route.continue()
    })
    await page.keyboard.press('2')
    // In the item's place; where the news of the change was faster and took the item away, below the queue.
    await eventually(() => page.locator('[role=alert], .undo.bad').first().textContent()).toMatch(
      /changed since it was read|stays as it is/,
    )
    expect(await get(namespace, 'ops/deploys')).toMatchObject({ found: true, value: 'Production deploys run Monday to Wednesday.' })
    expect(await get(namespace, 'deploy/window/prod')).toMatchObject({ found: true, value: WINDOW })
  })

  test('a queue of three is emptied by keyboard alone, and the last choice undone', async () => {
    const namespace = await space()
    const page = await openReview(namespace)
    await eventually(() => page.getByRole('link', { name: /^Review/ }).textContent()).toBe('Review3')
    await eventually(() => pane(page).locator('mark').allTextContents()).toEqual(['ten', 'eight'])
    await page.keyboard.press('j')
    await eventually(() => chosen(page).textContent()).toContain('jobs/archive')
    await page.keyboard.press('k')
    await eventually(() => chosen(page).textContent()).toContain('office/hours')
    await page.getByRole('button', { name: 'Keep this' }).focus()
    await page.keyboard.press('2')
    await eventually(() => chosen(page).textContent()).toContain('jobs/archive')
    await eventually(() => page.evaluate(() => document.activeElement?.textContent)).toContain('Keep this')
    await page.keyboard.press('3')
    await eventually(() => chosen(page).textContent()).toContain('ops/deploys')
    await page.keyboard.press('m')
    await untilFocused(page, 'textarea')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('Production deploys run Monday to Thursday; never Friday.')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('heading', { name: 'Nothing to review' }).waitFor()
    // What is settled leaves the list at once; this is said when it is stored.
    await page.getByText('You settled 3 items just now.').waitFor()
    expect(await counts(namespace)).toMatchObject({ total: 0 })
    expect(await get(namespace, 'office/hours')).toMatchObject({ found: false })
    expect(await get(namespace, 'office/berlin/hours')).toMatchObject({ found: true, status: 'active' })
    expect(await get(namespace, 'jobs/archive')).toMatchObject({ found: true, status: 'active' })
    expect(await get(namespace, 'archive/nightly')).toMatchObject({ found: true, status: 'active' })
    expect(await get(namespace, 'deploy/window/prod')).toMatchObject({ value: 'Production deploys run Monday to Thursday; never Friday.' })

    await page.keyboard.press('u')
    await eventually(() => chosen(page).textContent()).toContain('ops/deploys')
    expect(await get(namespace, 'deploy/window/prod')).toMatchObject({ found: true, value: WINDOW })
    expect(await get(namespace, 'ops/deploys')).toMatchObject({ found: true, value: RIVAL, status: 'conflicted' })
  })

  test('a long queue is read on as one works through it', async () => {
    const namespace = `r${++spaces}`
    const claim = (n: number, hour: number) => `The maintenance window of cluster number ${n} starts at ${hour}:00.`
    for (let n = 1; n <= 60; n++) {
      await host.call('memory.set', { namespace, memory_key: `cluster/${n}`, value: claim(n, 2) })
      await host.call('memory.set', { namespace, memory_key: `maintenance/${n}`, value: claim(n, 4), run_id: `r${n}` })
    }
    const { total } = (await counts(namespace)) as { total: number }
    expect(total).toBe(60)
    const page = await host.open({}, `#/${namespace}`)
    await page.keyboard.press('Control+2')
    await eventually(() => page.getByRole('option').count()).toBe(50)
    await page.evaluate(() => {
      const times = { key: 0, shown: 0 }
      Object.assign(globalThis, { times })
      document.addEventListener('keydown', () => (times.key = performance.now()), { capture: true })
      const pair = document.querySelector('.reader-pane')
      if (pair)
        new MutationObserver(() => (times.shown ||= performance.now())).observe(pair, {
          subtree: true,
          childList: true,
          characterData: true,
        })
    })
    const took: number[] = []
    for (let n = 0; n < 8; n++) {
      const before = await chosen(page).getAttribute('id')
      await page.evaluate(() => ((globalThis as unknown as { times: { shown: number } }).times.shown = 0))
      await page.keyboard.press('1')
      await eventually(() => chosen(page).getAttribute('id')).not.toBe(before)
      const { key, shown } = await page.evaluate(() => (globalThis as unknown as { times: { key: number; shown: number } }).times)
      took.push(shown - key)
    }
    process.stderr.write(`key to the next pair: ${took.map((ms) => ms.toFixed(0)).join(', ')} ms\n`)
    await eventually(() => counts(namespace)).toMatchObject({ total: total - 8 })
    await page.keyboard.press('End')
    await eventually(() => page.getByRole('option').count()).toBe(total - 8)
  })

  test('U takes back the choice just made, however fast', async () => {
    const namespace = await space()
    const page = await openReview(namespace)
    await page.keyboard.press('1')
    await page.keyboard.press('1')
    await page.keyboard.press('u')
    await eventually(() => said(page).textContent()).toMatch(/^Undone: jobs\/archive/)
    await eventually(() => chosen(page).textContent()).toContain('jobs/archive')
    await eventually(() => counts(namespace)).toMatchObject({ conflict: 1, duplicate: 1, total: 2 })
  })

  test('puts the choice back when nothing answers', async () => {
    const namespace = await space()
    const page = await openReview(namespace)
    await page.route(/conflicts\.resolve/, (route) => route.abort())
    await page.keyboard.press('1')
    await eventually(() => pane(page).getByRole('alert').count()).toBe(1)
    await eventually(() => chosen(page).textContent()).toContain('office/hours')
    await page.unroute(/conflicts\.resolve/)
    await page.keyboard.press('1')
    await eventually(() => chosen(page).textContent()).toContain('jobs/archive')
    await eventually(() => counts(namespace)).toMatchObject({ total: 2 })
    host.faults.splice(0)
  })

  test('a duplicate in the reader names what it repeats, with a link', async () => {
    const namespace = await space()
    const page = await host.open({}, `#/${namespace}`)
    await page.getByRole('button', { name: 'Status: Current' }).click()
    await page.getByRole('menuitemradio', { name: 'Duplicates' }).click()
    await row(page, 'jobs/archive').click()
    await reader(page).getByText('Says the same as').getByRole('button', { name: 'archive/nightly' }).click()
    await eventually(() => reader(page).locator('.crumb').textContent()).toContain('archive/nightly')
  })

  test('an unsure finding is a question, and keeping both settles it', async () => {
    // Nothing is certain enough for this install.
    await using strict = await startBrowserHost({ LOOM_MEMORY_VERDICT_MIN_CONFIDENCE: '0.999' })
    await modelsReady(strict)
    const set = (memory_key: string, value: string) => strict.call('memory.set', { namespace: 'local', memory_key, value })
    await set('archive/nightly', 'The archive is rebuilt every night.')
    await set('jobs/archive', 'Each night, the archive gets rebuilt.')
    const open = () => waiting(strict, 'local')
    expect(await open()).toMatchObject({ low_confidence: 1, total: 1 })
    const page = await strict.open()
    await page.keyboard.press('Control+2')
    await pane(page).getByRole('heading', { name: 'Loom is not sure about these two' }).waitFor()
    await eventually(() => pane(page).locator('.judge').textContent()).toContain('Unsure')
    await page.keyboard.press('3')
    await page.getByRole('heading', { name: 'Nothing to review' }).waitFor()
    await eventually(open).toMatchObject({ total: 0 })
    await page.keyboard.press('u')
    await row(page, 'jobs/archive').waitFor()
    await eventually(open).toMatchObject({ low_confidence: 1 })
    expect(strict.faults).toEqual([])
  })

  test.each(['light', 'dark'] as const)('axe finds nothing in the %s theme', async (colorScheme) => {
    const namespace = await space()
    const page = await openReview(namespace, { colorScheme, reducedMotion: 'reduce' })
    await pane(page).getByRole('heading', { level: 1 }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('m')
    await page.getByRole('textbox').waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    for (const key of ['1', '1', '1']) await page.keyboard.press(key)
    await page.getByRole('heading', { name: 'Nothing to review' }).waitFor()
    expect(await violations(page)).toEqual([])
  })

  test('at 320 px a queue is settled with no sideways scroll', async () => {
    const namespace = await space()
    const page = await openReview(namespace, { viewport: { width: 320, height: 640 } })
    await eventually(() => sideways(page)).toBe(0)
    await row(page, 'office/hours').click()
    await pane(page).getByRole('button', { name: 'Keep that' }).waitFor()
    await eventually(() => sideways(page)).toBe(0)
    const [first, second] = await page.locator('.side').evaluateAll((sides) => sides.map((side) => side.getBoundingClientRect()))
    expect(second?.top).toBeGreaterThan(first?.bottom ?? 0)
    await pane(page).getByRole('button', { name: 'Keep that' }).click()
    await eventually(() => pane(page).textContent()).toContain('jobs/archive')
    await pane(page).getByRole('button', { name: 'Merge by hand' }).click()
    await eventually(() => sideways(page)).toBe(0)
    await page.keyboard.press('Escape')
    await pane(page).getByRole('button', { name: 'Keep both' }).click()
    await eventually(() => pane(page).textContent()).toContain('ops/deploys')
    await pane(page).getByRole('button', { name: 'Keep both' }).click()
    await page.getByRole('heading', { name: 'Nothing to review' }).waitFor()
    await queue(page).waitFor()
    await eventually(() => sideways(page)).toBe(0)
  })
})
