import { sql, type RawBuilder } from 'kysely'
import type { Input } from '../../../contract/declare.ts'
import { Section, type contextPack } from '../../../contract/ops/context/pack.ts'
import { memorySearch } from '../../../contract/ops/memory/search.ts'
import { why } from '../../../domain/search/why.ts'
import { fold } from '../../../domain/text/fold.ts'
import type { ReadContext } from '../../handler.ts'
import type { Head } from '../../store/memories.ts'
import { isLive } from '../../write/state.ts'
import { profileRows } from '../profile-rows.ts'
import { isInScope, prepareRecall, recallPage } from '../recall.ts'
import { hasTag, inSelector } from '../rows-in-scope.ts'
import { scopeOf, type Scope, type SearchInput } from '../search-scope.ts'

export type PackCall = Input<typeof contextPack>

/** A row that may go into a bundle. */
export interface Candidate {
  readonly head: Head
  readonly section: Section
  readonly why: readonly string[]
  /** The chunk of a long value that matched. */
  readonly chunk: number | null
}

export interface Candidates {
  readonly rows: readonly Candidate[]
  readonly scope: Scope
  /** Something is near the query. */
  readonly near: boolean
}

/** Pinned rows, and the latest of a kind, that are looked at. */
const MOST_PINNED = 100
const MOST_LATEST = 20
/** Hits of the searches besides that for memories. */
const MOST_OF_KIND = 10

/** Live rows by a condition, newest first. */
async function latest(condition: RawBuilder<boolean>, most: number, context: ReadContext): Promise<Head[]> {
  const { rows } = await sql<Head>`SELECT m.* FROM loom.memory m WHERE ${inSelector(context)} AND m.status IN ('active', 'conflicted')
    AND m.sensitivity <> 'high' AND m.value IS NOT NULL AND ${condition} ORDER BY m.updated_at DESC, m.memory_id LIMIT ${most}`.execute(
    context.db,
  )
  return rows.filter((head) => isLive(head, context.now))
}

/** The search behind a part of the bundle. */
function searchOf(call: PackCall, query: string, more: Partial<SearchInput>): SearchInput {
  const { read_scope, top_k } = call
  return { ...memorySearch.input.parse({ query: query.slice(0, 4000), read_scope, top_k }), ...more }
}

/** Which sections a call wants at all. */
export function wantedSections(call: PackCall): ReadonlySet<Section> {
  const only = new Set(call.only_sections)
  const off = new Set<Section | false>([
    !call.include_decisions && 'decisions',
    !call.include_knowledge && 'documents',
    !call.include_conversations && !only.has('conversations') && 'conversations',
    (!call.include_runs || call.runs_limit === 0) && 'runs',
  ])
  return new Set(Section.options.filter((name) => !off.has(name) && (only.size === 0 || only.has(name))))
}

/** The section that a row belongs to by itself. */
function homeOf(head: Head): Section {
  const tags = new Set(head.tags.map(fold))
  if (head.memory_type === 'profile') return 'profile'
  if (head.memory_type === 'procedural') return 'procedures'
  if (tags.has('decision')) return 'decisions'
  return tags.has('learning') ? 'learnings' : 'memories'
}

/** What is near the task: memories, and by searches of their own decisions, learnings and procedures. */
async function nearTask(call: PackCall, wanted: ReadonlySet<Section>, context: ReadContext): Promise<Candidate[]> {
  const kinds: readonly (readonly [Section, SearchInput])[] = [
    ['memories', searchOf(call, call.query, {})],
    ['decisions', searchOf(call, call.query, { tags: ['decision'], top_k: MOST_OF_KIND })],
    ['learnings', searchOf(call, call.query, { tags: ['learning'], top_k: MOST_OF_KIND })],
    ['procedures', searchOf(call, `${call.situation} ${call.query}`.trim(), { memory_type: 'procedural', top_k: MOST_OF_KIND })],
  ]
  const found: Candidate[] = []
  for (const [section, search] of kinds) {
    if (!wanted.has(section)) continue
    const { page, heads } = await recallPage(await prepareRecall(search, context), search, 0, context)
    for (const hit of page) {
      const head = heads.get(hit.memoryId)
      if (!hit.near || !head) continue
      const home = homeOf(head)
      found.push({ head, section: wanted.has(home) ? home : section, why: why(hit), chunk: hit.chunk })
    }
  }
  return call.include_decisions ? found : found.filter(({ head }) => homeOf(head) !== 'decisions')
}

/** The rows of a bundle, each once, in the order of their sections; what is pinned or of the profile stands in both modes. */
export async function candidatesOf(call: PackCall, context: ReadContext): Promise<Candidates> {
  const wanted = wantedSections(call)
  const scope = await scopeOf(searchOf(call, 'all', {}), context)
  const told =
    (section: Section, reason: string) =>
    (head: Head): Candidate => ({ head, section, why: [reason], chunk: null })
  const near = call.mode === 'task' ? await nearTask(call, wanted, context) : []
  const rows: Candidate[] = []
  if (wanted.has('pinned')) {
    const pinned = (await latest(sql<boolean>`m.pinned`, MOST_PINNED, context)).filter((head) => isInScope(head, scope))
    const place = new Map(near.map(({ head }, at) => [head.memory_id, at]))
    const at = (head: Head): number => place.get(head.memory_id) ?? near.length
    rows.push(...pinned.toSorted((a, b) => at(a) - at(b)).map(told('pinned', 'pinned')))
  }
  if (wanted.has('profile')) {
    const profile = await profileRows(context)
    rows.push(...profile.map(told('profile', 'profile')))
  }
  rows.push(...near)
  if (call.mode === 'primer') {
    for (const [section, tag] of [
      ['decisions', 'decision'],
      ['learnings', 'learning'],
    ] as const) {
      if (!wanted.has(section)) continue
      const heads = (await latest(hasTag(tag), MOST_LATEST, context)).filter((head) => isInScope(head, scope))
      rows.push(...heads.map(told(section, 'latest')))
    }
  }
  const once = new Map<string, Candidate>()
  for (const row of rows) if (!once.has(row.head.memory_id)) once.set(row.head.memory_id, row)
  return { rows: [...once.values()], scope, near: near.length > 0 }
}
