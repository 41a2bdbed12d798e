import { spawn } from 'node:child_process'
import { findProgram } from './programs.ts'

/** An X display for windows: the one that is there, or an Xvfb of our own on a free number. */
export async function startDisplay(): Promise<{ name: string | null; reason: string; stop: () => Promise<void> }> {
  const none = async (): Promise<void> => {}
  if (process.platform !== 'linux') return { name: '', reason: '', stop: none }
  if (process.env.DISPLAY) return { name: process.env.DISPLAY, reason: '', stop: none }
  const xvfb = findProgram('Xvfb')
  if (!xvfb) return { name: null, reason: 'no display, and no Xvfb to make one (apt-get install xvfb)', stop: none }
  const server = spawn(xvfb, ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const exited = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  const number = await new Promise<string | null>((resolve) => {
    server.once('error', () => resolve(null))
    server.once('exit', () => resolve(null))
    server.stdio[3]?.once('data', (data: Buffer) => resolve(data.toString().trim()))
  })
  if (number === null) return { name: null, reason: 'Xvfb did not start', stop: none }
  return {
    name: `:${number}`,
    reason: '',
    stop: async () => {
      server.kill()
      await exited
    },
  }
}
