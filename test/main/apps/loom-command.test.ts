import { describe, expect, test } from 'vitest'
import { entryFor, oddityOf } from '../../../main/apps/entry.ts'
import { loomCommand } from '../../../main/apps/loom-command.ts'

const CLI = '/opt/loom/out/main/cli.js'
const ASAR = '/Applications/Loom.app/Contents/Resources/app.asar/out/main/cli.js'
const HELPER = '/Applications/Loom.app/Contents/Frameworks/Loom Helper.app/Contents/MacOS/Loom Helper'

describe('what an app starts', () => {
  test('without a window: this Node and the command line, by full paths', () => {
    const command = loomCommand({ XDG_DATA_HOME: '/d' }, '/d/Loom', { execPath: '/usr/bin/node', isElectron: false, cli: CLI }, 'linux')
    expect(command).toEqual({ command: '/usr/bin/node', args: [CLI, 'mcp'], env: {} })
  })

  test('another data folder goes along', () => {
    const command = loomCommand({}, '/other', { execPath: '/usr/bin/node', isElectron: false, cli: CLI }, 'linux')
    expect(command.env).toEqual({ LOOM_HOME: '/other' })
  })

  test('an installed app is the command line itself: on a Mac not the helper that the engine runs in, of an AppImage its file', () => {
    const program = { execPath: HELPER, isElectron: true, cli: ASAR }
    expect(loomCommand({ PATH: '/usr/bin' }, '/h', program, 'darwin')).toMatchObject({
      command: '/Applications/Loom.app/Contents/MacOS/Loom',
      args: ['cli', 'mcp'],
    })
    expect(
      loomCommand({ APPIMAGE: '/home/ada/Loom.AppImage' }, '/h', { ...program, execPath: '/tmp/.mount_Loom/loom' }, 'linux').command,
    ).toBe('/home/ada/Loom.AppImage')
  })

  test('a window from the clone: the Node that started it, else Electron as one', () => {
    const program = { execPath: '/e/electron', isElectron: true, cli: CLI }
    expect(loomCommand({ npm_node_execpath: '/n/node' }, '/h', program, 'linux').command).toBe('/n/node')
    expect(loomCommand({ PATH: '/nowhere' }, '/h', program, 'linux')).toMatchObject({
      command: '/e/electron',
      env: { ELECTRON_RUN_AS_NODE: '1' },
    })
  })

  test('why an entry of the name is not ours is said with the field that shows it', () => {
    const wanted = entryFor({ typed: false }, { command: '/n/node', args: ['mcp'], env: {} })
    const app = { name: 'Windsurf' }
    expect(oddityOf(app, 'x', wanted)).toContain('no object')
    expect(oddityOf(app, { url: 'http://localhost:7777/mcp' }, wanted)).toContain('“url”')
    expect(oddityOf(app, { command: '/old/node', args: ['mcp'] }, wanted)).toContain('another program')
    expect(oddityOf(app, { ...wanted, disabled: true }, wanted)).toContain('switched off in Windsurf')
    expect(oddityOf(app, { ...wanted, args: [] }, wanted)).toContain('put it right')
  })
})
