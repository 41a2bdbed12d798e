import { text } from 'node:stream/consumers'
import { readFile } from 'node:fs/promises'
import { createClient } from '../../shared/client/create-client.ts'
import type { OpContract } from '../../shared/contract/declare.ts'
import { errorBody, isLoomError } from '../../shared/contract/errors.ts'
import { stringifyJson } from '../../shared/contract/json.ts'
import { readEnv, toConfig } from '../config.ts'
import { parseCall } from './arguments.ts'
import { connect } from './connect.ts'
import { explain } from './help.ts'
import { renderAnswer } from './table.ts'
import { harmless } from './text-width.ts'

const PLAIN_WIDTH = 120

/**
 * Runs one operation and prints its answer. Answers the exit status: 0, or 1 when the operation answered an error.
 * @throws UsageError for arguments that make no call
 */
export async function runOperation(contract: OpContract, args: readonly string[]): Promise<number> {
  const { input, json, help } = await parseCall(contract, args, readSource)
  if (help) {
    print(explain(contract))
    return 0
  }
  try {
    await using connection = await connect(toConfig(readEnv()))
    const answer = await createClient(connection.link).call(contract.name, input)
    print(json ? stringifyJson(answer) : renderAnswer(answer, process.stdout.columns || PLAIN_WIDTH))
    return 0
  } catch (error) {
    reportError(error, json)
    return 1
  }
}

/** The documented body on stdout for programs, or the message on stderr for people. */
export function reportError(error: unknown, json: boolean): void {
  const requestId = isLoomError(error) && typeof error.fields['request_id'] === 'string' ? error.fields['request_id'] : ''
  const body = errorBody(error, requestId)
  if (json) {
    print(stringifyJson(body))
    return
  }
  const { code, message, did_you_mean: guess } = body.detail
  const lines = message.split('\n').map(harmless).join('\n')
  const hint =
    guess && !message.includes('Did you mean')
      ? `\nDid you mean ${harmless(typeof guess === 'string' ? guess : stringifyJson(guess))}?`
      : ''
  const shown = isLoomError(error) ? `${code}: ${lines}${hint}` : `${code}: ${error instanceof Error ? error.message : String(error)}`
  process.stderr.write(`${shown}\n`)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

async function readSource(source: string): Promise<string> {
  return source === '-' ? await text(process.stdin) : await readFile(source, 'utf8')
}
