/**
 * `npm run bench -- <name> [--data FILE] [--json]`: runs `bench` of test/bench/<name>.ts and prints what it answers.
 * With --json the last line of stdout is that object on one line.
 */
import { existsSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runnerImport } from 'vite'

const folder = fileURLToPath(new URL('.', import.meta.url))
const names = readdirSync(folder)
  .filter((file) => /^[^.]+\.ts$/.test(file))
  .map((file) => file.slice(0, -3))

/**
 * Numbers with four significant digits, nested objects indented.
 * @param {Record<string, unknown>} answer
 * @param {string} indent
 */
function print(answer, indent = '') {
  for (const [key, value] of Object.entries(answer)) {
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
      console.log(`${indent}${key}:`)
      print(/** @type {Record<string, unknown>} */ (value), `${indent}  `)
    } else {
      console.log(`${indent}${key}: ${typeof value === 'number' ? Number(value.toPrecision(4)) : JSON.stringify(value)}`)
    }
  }
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { data: { type: 'string' }, json: { type: 'boolean', default: false } },
  })
  const [name, ...more] = positionals
  if (!name || more.length > 0 || !names.includes(name))
    throw new Error(
      `usage: npm run bench -- <name> [--data FILE] [--json]\n${name ? `there is no bench "${name}"; ` : ''}there are: ${names.join(', ') || 'none yet'}`,
    )
  // npm runs scripts in the clone's folder; INIT_CWD is where the person stands.
  const data = values.data === undefined ? undefined : resolve(process.env.INIT_CWD ?? '.', values.data)
  if (data !== undefined && !existsSync(data)) throw new Error(`there is no file ${data}`)
  const { module } = await runnerImport(resolve(folder, `${name}.ts`), { configFile: false, logLevel: 'error', oxc: { target: 'node20' } })
  const { bench } = /** @type {{ bench: (options: { data?: string, json: boolean }) => Promise<Record<string, unknown>> }} */ (module)
  const answer = await bench({ ...(data === undefined ? {} : { data }), json: values.json })
  if (values.json) console.log(JSON.stringify(answer))
  else print(answer)
}

try {
  await main()
} catch (error) {
  // What a person typed wrong needs no stack.
  console.error(error instanceof Error && /^(usage|there|Unknown option|Option)/.test(error.message) ? error.message : error)
  process.exitCode = 1
}
