// Labelled pairs to training lines, values in one spelling: node normalise.mjs IN.jsonl OUT.jsonl
// A claim is a text or {key, value}. Pairs labelled merge are left out: the canonical form decides those.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const values = fileURLToPath(new URL('../../../domain/judge/values.ts', import.meta.url))
const { module } = await runnerImport(values, { configFile: false, logLevel: 'error', oxc: { target: 'node20' } })
const { normaliseValues } = /** @type {{ normaliseValues: (text: string) => string }} */ (module)
const [input, output] = process.argv.slice(2)
if (!input || !output) throw new Error('usage: node normalise.mjs IN.jsonl OUT.jsonl')
/** @param {string | { value: string }} claim */
const text = (claim) => normaliseValues(typeof claim === 'string' ? claim : claim.value)
const lines = readFileSync(input, 'utf8').split('\n').filter(Boolean)
const pairs = lines.map((line) => JSON.parse(line)).filter(({ label }) => label !== 'merge')
writeFileSync(
  output,
  pairs.map((pair) => `${JSON.stringify({ ...pair, verdict: pair.verdict ?? pair.label, a: text(pair.a), b: text(pair.b) })}\n`).join(''),
)
