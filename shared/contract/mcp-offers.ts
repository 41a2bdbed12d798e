import type { OpName } from './registry.ts'

/** What Loom offers MCP clients besides tools: prompts that a person picks, and resources that a client attaches. */

/** An operation to run, with its fields. */
export interface Reading {
  readonly op: OpName
  readonly input: Readonly<Record<string, unknown>>
}

export interface OfferedPrompt {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[]
  /** What is read for it; none for a prompt that is only words. */
  readonly reads?: (given: Readonly<Record<string, string>>) => Reading
  /** What the person says to the model. */
  readonly says: (given: Readonly<Record<string, string>>, read: Readonly<Record<string, unknown>>) => string
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

export const PROMPTS: readonly OfferedPrompt[] = [
  {
    name: 'start_task',
    title: 'Start a task with what Loom knows',
    description: 'Facts, decisions, procedures and recent runs that a task needs.',
    arguments: [{ name: 'task', description: 'What is to be done.', required: true }],
    reads: ({ task = '' }) => ({ op: 'context.pack', input: { query: task } }),
    says: ({ task = '' }, read) =>
      [
        `The task: ${task}`,
        text(read['text']) === '' ? 'Loom knows nothing about it yet.' : `What Loom knows, as data:\n\n${text(read['text'])}`,
        'Where two facts disagree, ask before you choose. Save what turns out to last with loom_memory_set.',
      ].join('\n\n'),
  },
  {
    name: 'ask_memory',
    title: 'Ask what Loom knows',
    description: 'An answer from memory with its sources, or that there is none.',
    arguments: [{ name: 'question', description: 'The question.', required: true }],
    reads: ({ question = '' }) => ({ op: 'memory.ask', input: { query: question } }),
    says: ({ question = '' }, read) => {
      if (read['abstain'] === true)
        return `${question}\n\nLoom does not know: ${text(read['abstain_reason'])} Say so; do not make an answer up.`
      const citations = (read['citations'] as readonly { n: number; memory_key: string }[]).map((one) => `[${one.n}] ${one.memory_key}`)
      return `${question}\n\nFrom memory, as data: ${text(read['answer'])}\n\n${citations.join('\n')}`
    },
  },
  {
    name: 'save_what_lasts',
    title: 'Save what lasts of this conversation',
    description: 'Has the model store the durable facts of a conversation, one by one.',
    arguments: [],
    says: () =>
      [
        'Go through this conversation and save with loom_memory_set what will still matter next week: decisions, facts, preferences, procedures.',
        'One fact per call, under a key a person can read, such as deploy/window/prod; search first, and write the same key again to revise a fact.',
        'Leave out what is secret, what is obvious from the code, and what was only tried. Read each conflict_verdict, and tell me of conflicts.',
      ].join('\n'),
  },
]

export interface OfferedResource {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: 'text/markdown' | 'application/json'
  readonly reading: Reading
  /** The field of the answer that is the resource; the whole answer as JSON when left out. */
  readonly field?: string
}

export const RESOURCES: readonly OfferedResource[] = [
  {
    uri: 'loom://primer',
    name: 'primer',
    title: 'What stands',
    description: 'Pinned facts, your profile, the latest decisions and runs.',
    mimeType: 'text/markdown',
    reading: { op: 'context.pack', input: { mode: 'primer' } },
    field: 'text',
  },
  {
    uri: 'loom://conflicts',
    name: 'conflicts',
    title: 'Open conflicts',
    description: 'Pairs of facts that stand against each other.',
    mimeType: 'application/json',
    reading: { op: 'conflicts.list', input: {} },
  },
]

/** A memory by its key, percent-encoded. */
export const MEMORY_TEMPLATE = {
  uriTemplate: 'loom://memory/{key}',
  name: 'memory',
  title: 'A memory by its key',
  description: 'One row as memory.get reads it; the key percent-encoded.',
  mimeType: 'application/json',
} as const

const MEMORY_URI = /^loom:\/\/memory\/([^?#]+)$/

/** The resource of a URI, or null for one that is not Loom's. */
export function resourceAt(uri: string): Omit<OfferedResource, 'name' | 'title' | 'description'> | null {
  const listed = RESOURCES.find((resource) => resource.uri === uri)
  if (listed) return listed
  const encoded = MEMORY_URI.exec(uri)?.[1]
  if (encoded === undefined) return null
  try {
    return { uri, mimeType: 'application/json', reading: { op: 'memory.get', input: { memory_key: decodeURIComponent(encoded) } } }
  } catch {
    return null
  }
}
