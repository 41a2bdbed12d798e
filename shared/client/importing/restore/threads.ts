import { isLoomError } from '../../../contract/errors.ts'
import { isFields, listIn, textIn, type Fields, type Place } from '../found.ts'
import { orTold, ownerOf, type Restoring } from './context.ts'

/** Messages of one call, and characters of what they say. */
const BATCH = 500
const BATCH_CHARS = 1024 * 1024

interface Said {
  readonly row: Fields
  readonly at: Place
}

/** Messages of one call share it all. */
const callOf = (row: Fields): Fields => ({
  ...ownerOf(row),
  thread_id: row['thread_id'],
  ...(textIn(row, 'run_id') !== '' && { run_id: row['run_id'] }),
})

const messageOf = ({ role, name, content, at, message_id, own_sensitivity, metadata }: Fields): Fields => ({
  role,
  name,
  content,
  at,
  message_id,
  metadata,
  sensitivity: own_sensitivity,
})

/** Puts conversations back by conversation.append: threads first, then what was said in each, in its order. */
export function createThreads(restoring: Restoring) {
  const { client, place, dryRun, options, tally } = restoring
  let held: Said[] = []
  let chars = 0
  // Of a dry run: what the thread that is being read holds already; null for all that there is.
  let known: { readonly thread: string; readonly ids: Set<string> | null } | null = null

  /** A page of a stored thread. No user narrows no read: of several users' threads of one id a refusal names whose they are. */
  async function stored(row: Fields, page: Fields): Promise<{ readonly found: boolean; readonly answer: Fields | null }> {
    const { thread_id, user_id } = row
    try {
      const answer = await client.call('conversation.get', { ...place, user_id, thread_id, ...page }, options)
      const found = answer['found'] === true && answer['user_id'] === user_id
      return { found, answer: found ? answer : null }
    } catch (error) {
      if (!isLoomError(error) || error.code !== 'AMBIGUOUS_KEY') throw error
      const found = listIn(error.fields, 'candidates').some((one) => isFields(one) && one['user_id'] === user_id)
      return { found, answer: null }
    }
  }

  /** Ids of the messages of a stored thread; null where it is there and cannot be told from others. */
  async function storedIds(row: Fields): Promise<Set<string> | null> {
    const thread = JSON.stringify([row['thread_id'], row['user_id']])
    if (known?.thread === thread) return known.ids
    const ids = new Set<string>()
    let isTold = true
    for (let cursor: unknown = undefined; cursor !== null && isTold;) {
      const { found, answer } = await stored(row, { limit: 1000, ...(cursor !== undefined && { cursor }) })
      isTold = !found || answer !== null
      for (const one of listIn(answer ?? {}, 'messages')) if (isFields(one)) ids.add(String(one['message_id']))
      cursor = answer?.['next_cursor'] ?? null
    }
    known = { thread, ids: isTold ? ids : null }
    return known.ids
  }

  async function send(said: readonly Said[]): Promise<void> {
    const [first] = said
    if (!first) return
    if (dryRun) {
      const ids = await storedIds(first.row)
      const fresh = ids === null ? 0 : said.filter(({ row }) => !ids.has(String(row['message_id']))).length
      tally.result('written', '', 'message', fresh)
      return tally.result('skipped', 'unchanged', 'message', said.length - fresh)
    }
    const input = { ...place, ...callOf(first.row), messages: said.map(({ row }) => messageOf(row)) }
    try {
      const { appended, repeated } = await client.call('conversation.append', input, options)
      tally.result('written', '', 'message', Number(appended))
      tally.result('skipped', 'unchanged', 'message', Number(repeated))
    } catch (error) {
      // One that is refused must not keep those beside it from being stored.
      if (said.length === 1 || !isLoomError(error) || (error.code !== 'ALREADY_EXISTS' && error.code !== 'INVALID_ARGUMENT')) throw error
      for (const one of said) await sendOne(one)
    }
  }

  const sendOne = (one: Said): Promise<void | null> =>
    orTold(one.at, restoring, `message ${String(one.row['message_id'])}`, () => send([one]))

  async function flush(): Promise<void> {
    const said = held
    held = []
    chars = 0
    const [first] = said
    if (first) await orTold(first.at, restoring, `conversation ${String(first.row['thread_id'])}`, () => send(said))
  }

  return {
    flush,
    async thread(row: Fields, at: Place): Promise<void> {
      tally.found()
      const { thread_id, title, metadata, sensitivity } = row
      await orTold(at, restoring, `conversation ${String(thread_id)}`, async () => {
        const { found } = await stored(row, { limit: 1 })
        // What it is called here stands.
        if (found) return tally.result('skipped', 'unchanged')
        const input = { ...place, ...ownerOf(row), thread_id, title, metadata, sensitivity, messages: [] }
        if (!dryRun) await client.call('conversation.append', input, options)
        tally.result('written', '', 'thread')
      })
    },
    async message(row: Fields, at: Place): Promise<void> {
      tally.found()
      const [first] = held
      if (first && JSON.stringify(callOf(first.row)) !== JSON.stringify(callOf(row))) await flush()
      held.push({ row, at })
      chars += textIn(row, 'content').length
      if (held.length >= BATCH || chars >= BATCH_CHARS) await flush()
    },
  }
}
