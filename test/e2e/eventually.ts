import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Milliseconds that a machine with other work may need for what is usually there at once; nobody waits for them where all is well. */
export const PATIENCE = 60_000

/** What a window comes to show, or a host to hold. */
export const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read, { timeout: PATIENCE })

/** Until the cursor is in a field; keys that are pressed before would go elsewhere. Of a window that is open, a text field if none is named. */
export const untilFocused = (page: Page, field = 'input, textarea'): Promise<void> =>
  eventually(() => page.evaluate((selector) => document.activeElement?.matches(selector) ?? false, field)).toBe(true)
