import type { Readable, Writable } from 'node:stream'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { parseJSONRPCMessage } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { LoomError, errorBody } from '../contract/errors.ts'
import { parseJson, stringifyJson } from '../contract/json.ts'
import { readToolsets } from '../contract/mcp-surface.ts'
import type { Log } from './log.ts'
import { createMcpServer, type McpCall } from './mcp.ts'
import { mcpErrorBody } from './mcp-error.ts'
import { requestIdFrom } from './request-id.ts'

export interface StdioMcpOptions {
  /** Runs the operations: `engineCall` for an engine of one's own, `relayCall` for a running app. */
  readonly call: McpCall
  /** As `?toolset=` of the address. */
  readonly toolset?: string
  readonly log: Log
  /** Longest message in bytes; a longer one is refused and skipped, never kept. Default 32 MiB. */
  readonly maxMessageBytes?: number
  readonly input?: Readable
  readonly output?: Writable
}

export interface StdioMcp {
  /** Resolves when the client has closed its end, or `close` was called. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

const NEWLINE = 0x0a

/**
 * Cuts a byte stream into lines. A line past the limit is dropped as it arrives, and told of once.
 * @returns what to feed chunks to.
 */
function lines(limit: number, onLine: (line: Buffer) => void, onTooLong: () => void): (chunk: Buffer) => void {
  let held: Buffer[] = []
  let size = 0
  const add = (part: Buffer): void => {
    size += part.length
    if (size <= limit) held.push(part)
    else held = []
  }
  const end = (): void => {
    if (size > limit) onTooLong()
    else if (size > 0) onLine(Buffer.concat(held))
    held = []
    size = 0
  }
  return (chunk) => {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, at))
      end()
      from = at + 1
    }
    add(chunk.subarray(from))
  }
}

/** Newline-delimited JSON-RPC in which integers past 2^53 keep their digits. */
function losslessTransport(input: Readable, output: Writable, limit: number, onClosed: () => void): Transport {
  const refuse = (error: LoomError): void => {
    output.write(`${stringifyJson(mcpErrorBody(errorBody(error, requestIdFrom(undefined))))}\n`)
  }
  const transport: Transport = {
    async start() {
      input.on('data', feed)
      input.once('end', close)
      input.once('close', close)
      input.once('error', close)
      output.once('error', close)
      if (input.readableEnded || input.destroyed) close()
    },
    send: (message: JSONRPCMessage) =>
      new Promise((resolve, reject) => {
        output.write(`${stringifyJson(message)}\n`, (error) => (error ? reject(error) : resolve()))
      }),
    async close() {
      close()
    },
  }
  const feed = lines(
    limit,
    (line) => {
      if (line.toString().trim() === '') return
      try {
        transport.onmessage?.(readMessage(line))
      } catch (error) {
        refuse(error instanceof LoomError ? error : new LoomError('INVALID_JSON', 'The line is not a JSON-RPC message.'))
      }
    },
    () => refuse(new LoomError('PAYLOAD_TOO_LARGE', `The message is larger than ${limit} bytes.`, { limit })),
  )
  let isClosed = false
  function close(): void {
    if (isClosed) return
    isClosed = true
    input.off('data', feed)
    input.pause()
    transport.onclose?.()
    onClosed()
  }
  return transport
}

function readMessage(line: Buffer): JSONRPCMessage {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(line)
  } catch {
    throw new LoomError('INVALID_JSON', 'The line is not UTF-8.')
  }
  return parseJSONRPCMessage(parseJson(text))
}

/**
 * MCP over stdin and stdout, until the client closes its end. Nothing but the protocol is written to stdout.
 * @throws LoomError INVALID_ARGUMENT for a toolset that does not exist.
 */
export function serveMcpStdio(options: StdioMcpOptions): StdioMcp {
  const { call, log, input = process.stdin, output = process.stdout } = options
  const toolsets = readToolsets(options.toolset)
  let onClosed = (): void => undefined
  const closed = new Promise<void>((resolve) => (onClosed = resolve))
  const handle = serveStdio(() => createMcpServer({ call, toolsets, log }), {
    transport: losslessTransport(input, output, options.maxMessageBytes ?? 33_554_432, onClosed),
    onerror: (error) => log.warn({ err: error }, 'MCP over stdio'),
  })
  return { closed, close: () => handle.close() }
}
