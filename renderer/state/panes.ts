/** F6: the next of the panes in sight takes the focus. */
export function focusNextPane(): void {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')].filter(
    (pane) => pane.offsetParent !== null && !pane.closest('[inert]'),
  )
  const here = panes.findIndex((pane) => pane.contains(document.activeElement))
  panes[(here + 1) % panes.length]?.focus()
}

export const inReader = (): boolean => Boolean(document.activeElement?.closest('.reader-pane'))
