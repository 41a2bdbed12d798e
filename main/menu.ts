import { app, Menu, type MenuItemConstructorOptions } from 'electron'

/** The app's menu. Nothing in it opens a page or a tool of a developer. */
export function setMenu(): void {
  const mac = process.platform === 'darwin'
  const template: MenuItemConstructorOptions[] = [
    ...(mac ? [{ role: 'appMenu' } as const] : []),
    { label: 'File', submenu: [{ role: mac ? 'close' : 'quit' }] },
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
