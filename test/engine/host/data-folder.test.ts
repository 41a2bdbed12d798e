import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { holderOf, lockDataFolder } from '../../../shared/engine/host/data-folder.ts'
import { lookAtProcess, ownStart } from '../../../shared/engine/host/process-start.ts'
import { bundleForNode } from '../../helpers/bundle.ts'

let home: string
let program: string
const children: ChildProcess[] = []

beforeAll(async () => {
  program = await bundleForNode('test/engine/host/fixtures/lock-holder.ts')
})
afterAll(() => rm(dirname(program), { recursive: true }))
beforeEach(async () => {
  home = join(await mkdtemp(join(tmpdir(), 'loom-lock-')), 'Loom')
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await rm(dirname(home), { recursive: true })
})

class Holder {
  readonly child: ChildProcess
  private readonly lines: Interface
  private readonly said: string[] = []
  private hear: (() => void) | null = null

  constructor() {
    this.child = spawn(process.execPath, [program, home], { stdio: ['pipe', 'pipe', 'inherit'] })
    children.push(this.child)
    this.lines = createInterface({ input: this.child.stdout as NodeJS.ReadableStream })
    this.lines.on('line', (line) => {
      this.said.push(line)
      this.hear?.()
    })
  }
  tell(order: string): void {
    this.child.stdin?.write(`${order}\n`)
  }
  async next(): Promise<string> {
    while (this.said.length === 0) await new Promise<void>((resolve) => (this.hear = resolve))
    return this.said.shift() ?? ''
  }
  async ask(order: string): Promise<string> {
    this.tell(order)
    return await this.next()
  }
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    const gone = new Promise((resolve) => this.child.once('exit', resolve))
    this.child.kill('SIGKILL')
    await gone
  }
}

async function started(): Promise<Holder> {
  const holder = new Holder()
  expect(await holder.next()).toBe('ready')
  return holder
}

const lockText = async (): Promise<{ pid: number; start: string; token: string }> =>
  JSON.parse(await readFile(join(home, 'loom.lock'), 'utf8')) as { pid: number; start: string; token: string }

describe('the lock of a data folder', () => {
  test('makes the folder with mode 700, also one that was open before', async () => {
    await using lock = await lockDataFolder(home)
    expect((await stat(home)).mode & 0o777).toBe(0o700)
    await lock.release()
    await chmod(home, 0o755)
    await using _ = await lockDataFolder(home)
    expect((await stat(home)).mode & 0o777).toBe(0o700)
  })

  test('a live owner keeps it, and is named by its pid', async () => {
    const owner = await started()
    expect(await owner.ask('go')).toBe('held')
    await expect(lockDataFolder(home)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining(`process ${owner.child.pid}`) as string,
      fields: { owner_pid: owner.child.pid },
    })
    expect(await holderOf(home)).toEqual({ pid: owner.child.pid })
    expect(await owner.ask('release')).toBe('released')
    await using _ = await lockDataFolder(home)
    expect(await holderOf(home)).toEqual({ pid: process.pid })
  })

  test('holds against a second taker in the same process', async () => {
    await using _ = await lockDataFolder(home)
    await expect(lockDataFolder(home)).rejects.toMatchObject({ fields: { owner_pid: process.pid } })
  })

  test('the lock of a killed owner is taken over, and leaves nothing behind', async () => {
    const owner = await started()
    await owner.ask('go')
    await owner.kill()
    expect(await holderOf(home)).toBeNull()
    const lock = await lockDataFolder(home)
    expect((await lockText()).pid).toBe(process.pid)
    await lock.release()
    expect(await readdir(home)).toEqual([])
  })

  test('a pid that went to another process since does not count as the owner', async () => {
    await using first = await lockDataFolder(home)
    const text = await lockText()
    await first.release()
    // This very pid runs, but started at another time than the owner did.
    await writeFile(join(home, 'loom.lock'), JSON.stringify({ ...text, start: 'another boot/1', token: 'old' }))
    expect(await holderOf(home)).toBeNull()
    await using _ = await lockDataFolder(home)
    expect((await lockText()).start).toBe(text.start)
  })

  test('an owner whose start cannot be told is taken for alive', async () => {
    await (await lockDataFolder(home)).release()
    await writeFile(join(home, 'loom.lock'), JSON.stringify({ pid: process.pid, start: null, token: 'old' }))
    await expect(lockDataFolder(home)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test.each(['', '{"pid":', '{"pid":"x"}'])('a lock that a power cut left as %j is taken over', async (text) => {
    await (await lockDataFolder(home)).release()
    await writeFile(join(home, 'loom.lock'), text)
    await using _ = await lockDataFolder(home)
    expect((await lockText()).pid).toBe(process.pid)
  })

  test('a claim that its process left half-way is taken over too', async () => {
    await (await lockDataFolder(home)).release()
    await writeFile(join(home, 'loom.lock'), JSON.stringify({ pid: 999_999_999, start: 'x', token: 'dead' }))
    await writeFile(join(home, 'loom.lock.next-dead'), JSON.stringify({ pid: 999_999_998, start: 'x', token: 'dead-too' }))
    const lock = await lockDataFolder(home)
    await lock.release()
    expect(await readdir(home)).toEqual([])
  })

  test('of 8 processes that race for a dead owner’s lock one wins, five times over', { timeout: 120_000 }, async () => {
    for (let round = 0; round < 5; round++) {
      const dead = await started()
      expect(await dead.ask('go')).toBe('held')
      await dead.kill()
      const racers = await Promise.all(Array.from({ length: 8 }, started))
      for (const racer of racers) racer.tell('go')
      const answers = await Promise.all(racers.map((racer) => racer.next()))
      const winner = answers.indexOf('held')
      expect(answers.filter((answer) => answer === 'held')).toHaveLength(1)
      expect((await lockText()).pid).toBe(racers[winner]?.child.pid)
      for (const answer of answers) if (answer !== 'held') expect(answer).toContain(`process ${racers[winner]?.child.pid}`)
      expect((await readdir(home)).filter((name) => name !== 'loom.lock')).toEqual([])
      await racers[winner]?.ask('release')
      for (const racer of racers) await racer.kill()
    }
  })
})

describe('looking at a process', () => {
  test('tells this process from one that never was', async () => {
    expect(await lookAtProcess(process.pid)).toEqual({ state: 'running', start: await ownStart() })
    expect(await lookAtProcess(999_999_999)).toEqual({ state: 'gone' })
    expect(await lookAtProcess(-1)).toEqual({ state: 'gone' })
  })

  test('two processes have two starts', async () => {
    const [one, other] = [await started(), await started()]
    const starts = await Promise.all([one, other].map((holder) => lookAtProcess(holder.child.pid ?? 0)))
    expect(starts[0]).not.toEqual(starts[1])
  })

  test.runIf(process.platform === 'linux')('a killed process that nobody collected counts as gone', async () => {
    // The shell becomes a sleep, which never waits for the child: it stays in the table of processes as a zombie.
    const shell = spawn('sh', ['-c', '(exit 0) & echo $!; exec sleep 20'], { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(shell)
    const pid = await new Promise<number>((resolve) => shell.stdout.once('data', (data) => resolve(Number(data))))
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await lookAtProcess(pid)).toEqual({ state: 'gone' })
  })
})
