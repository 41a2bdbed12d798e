import { app, Menu, type MenuItemConstructorOptions } from 'electron'

export interface MenuActs {
  readonly write: () => void
  readonly search: () => void
  /** Shows a place in the main window. */
  readonly go: (route: string) => void
}

/** The app's menu. Nothing in it opens a page or a tool of a developer. */
export function setMenu({ write, search, go }: MenuActs): void {
  const mac = process.platform === 'darwin'
  const settings: MenuItemConstructorOptions = { label: 'Settings…', accelerator: 'CommandOrControl+,', click: () => go('//settings') }
  const template: MenuItemConstructorOptions[] = [
    ...(mac
      ? [
          {
            role: 'appMenu',
            submenu: [{ role: 'about' }, { type: 'separator' }, settings, { type: 'separator' }, { role: 'hide' }, { role: 'hideOthers' }, { role: 'unhide' }, { type: 'separator' }, { role: 'quit' }], // prettier-ignore
          } as const satisfies MenuItemConstructorOptions,
        ]
      : []),
    {
      label: 'File',
      submenu: [
        { label: 'Write a memory', click: write },
        { label: 'Quick search', click: search },
        { type: 'separator' },
        ...(mac ? [] : [settings, { type: 'separator' as const }]),
        { role: mac ? 'close' : 'quit' },
      ],
    },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [{ role: 'resetZoom' }, { role: 'zoomIn' }, { role: 'zoomOut' }, { type: 'separator' }, { role: 'togglefullscreen' }],
    },
    { role: 'windowMenu' },
    { role: 'help', submenu: [{ label: `About ${app.name}`, click: () => app.showAboutPanel() }] },
  ]
  Menu.setApplicationMenu(Menu.buildFromTemplate(template))
}
