import type { Logger } from 'pino'
import { isLoomError } from '../shared/contract/errors.ts'
import { createLogger } from '../shared/engine/host/logger.ts'
import { runUntilSignal } from '../shared/engine/host/run-until-signal.ts'
import { readCommand, USAGE } from './command-line.ts'
import { readEnv, type ServerConfig, toConfig } from './config.ts'
import { pairLink } from '../shared/engine/store/pair-codes.ts'
import type { Backup } from '../shared/contract/backup.ts'
import { backupOnMachine, listOnMachine, restoreOnMachine } from './backup.ts'
import { createServerHost } from './host.ts'
import { reapplyOnMachine } from './reapply.ts'
import { mintOnMachine, type MintOptions, pairOnMachine, type PairOptions } from './mint-token.ts'

/** Runs one command line. Answers the exit status: 0 done, 1 it failed, 2 typed wrong. */
async function main(args: readonly string[]): Promise<number> {
  const logger = createLogger('loom-server')
  const command = readCommand(args)
  try {
    switch (command.name) {
      case 'serve':
        await serve(toConfig(readEnv()), logger)
        return 0
      case 'mint-token':
        await mint(toConfig(readEnv()), command.options, logger)
        return 0
      case 'pair':
        await pair(toConfig(readEnv()), command.options, logger)
        return 0
      case 'backup':
        sayBackup(await backupOnMachine(toConfig(readEnv()), command.label, logger))
        return 0
      case 'backup-list':
        for (const backup of await listOnMachine(toConfig(readEnv()), logger)) sayBackup(backup)
        return 0
      case 'backup-restore':
        await restore(toConfig(readEnv()), command.backupId, logger)
        return 0
      case 'reapply': {
        const fences = await reapplyOnMachine(toConfig(readEnv()), command.from, logger)
        process.stdout.write(`The store stands by ${fences} fences of the ledger.\n`)
        return 0
      }
      case 'help':
        process.stdout.write(`${USAGE}\n`)
        return 0
      case 'wrong':
        process.stderr.write(`${command.reason}\n\n${USAGE}\n`)
        return 2
    }
  } catch (error) {
    if (!isLoomError(error)) logger.fatal({ err: error }, 'the server could not do it')
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

async function serve(config: ServerConfig, logger: Logger): Promise<void> {
  await using host = await createServerHost(config, logger)
  const { url, firstAccess, publicUrl } = host
  process.stdout.write(`Loom server is running at ${url}\n`)
  if (firstAccess) {
    const { token, claims, code } = firstAccess
    process.stdout.write(`First token, for the admin of org ${claims.org}; it is shown this once:\n${token}\n`)
    if (code)
      process.stdout.write(
        `Pair a desktop of the admin with this link until ${code.expires_at.toISOString()}:\n${pairLink(publicUrl, code.code)}\n`,
      )
  }
  if ((config.host === '0.0.0.0' || config.host === '::') && config.publicUrl === null) {
    logger.warn('LOOM_PUBLIC_URL is not set: calls that name this machine by anything but localhost are refused')
  }
  await runUntilSignal(() => host.close(), logger)
}

async function mint(config: ServerConfig, options: MintOptions, logger: Logger): Promise<void> {
  const { token, claims } = await mintOnMachine(config, options, logger)
  process.stdout.write(`${token}\n`)
  const org = claims.org === '*' ? 'every org' : `org ${claims.org}`
  process.stderr.write(`It makes ${claims.kind}:${claims.subject} ${options.role} of ${org}, and is shown this once.\n`)
}

function sayBackup({ backup_id, created_at, kind, bytes, label, damaged }: Backup): void {
  process.stdout.write(`${[backup_id, created_at, kind, `${bytes} bytes`, damaged ? 'DAMAGED' : label].join('  ').trimEnd()}\n`)
}

async function restore(config: ServerConfig, backupId: string, logger: Logger): Promise<void> {
  const { safetyBackupId, rows } = await restoreOnMachine(config, backupId, logger)
  process.stdout.write(`Restored ${backupId}: ${rows} memories. What was there before is ${safetyBackupId}.\n`)
}

async function pair(config: ServerConfig, options: PairOptions, logger: Logger): Promise<void> {
  const { link, expires_at } = await pairOnMachine(config, options, logger)
  process.stdout.write(`${link}\n`)
  const roles = Object.entries(options.grants).map(([namespace, role]) => `${role} in ${namespace}`)
  process.stderr.write(
    `It pairs one desktop of ${options.kind}:${options.subject} (${roles.join(', ')}) until ${expires_at.toISOString()}.\n`,
  )
}

process.exitCode = await main(process.argv.slice(2))
