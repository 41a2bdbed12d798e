import type { Input, Output } from '../../../contract/declare.ts'
import { memoryAsk as contract } from '../../../contract/ops/memory/ask.ts'
import { defineRead, type ReadContext } from '../../handler.ts'
import { answerFrom, type GivenAnswer } from '../../read/answer/answer-from.ts'
import { sourcesOf, type Sources } from '../../read/answer/sources.ts'
import { addBodies } from '../../read/hit-view.ts'
import { pendingExtraction } from '../../read/pending-extraction.ts'
import { prepareRecall, recallPage } from '../../read/recall.ts'
import { abstention, headsOf, hitsOf, requireQuery, searchDegraded } from '../../read/search-answer.ts'
import type { SearchInput } from '../../read/search-scope.ts'
import { atLeast, roleIn } from '../../rights.ts'

type Call = Input<typeof contract>
type Answer = Output<typeof contract>

/** The search behind the question: what memory.search would find near. */
function searchOf(input: Call): SearchInput {
  const { allow_synthesis: _a, max_answer_chars: _m, reinforce: _r, llm_cache: _c, ...shared } = input
  return {
    ...shared,
    include_duplicates: false,
    include_proposed: false,
    include_top_n_unmatched: 0,
    render: 'none',
    include_usage: false,
    explain: false,
  }
}

const ONLY_EXTERNAL = {
  abstain: true,
  abstain_code: 'external_only',
  abstain_reason: 'Only external rows that nobody vouched for are near this question. memory.verify vouches for one.',
} as const

const NOT_SUPPORTED = {
  abstain: true,
  abstain_code: 'not_supported',
  abstain_reason: 'What the language model wrote is not borne out by anything in memory.',
} as const

function abstentionOf(given: GivenAnswer, sources: Sources, none: ReturnType<typeof abstention>) {
  if (given.citations.length > 0) return { abstain: false, abstain_code: '', abstain_reason: '' } as const
  if (given.synthModel !== '') return NOT_SUPPORTED
  return sources.externalDropped > 0 ? ONLY_EXTERNAL : none
}

/** Counts what was recalled and cited; tells whether reinforcing, if asked for, was the caller's to ask. */
function count(given: GivenAnswer, recalled: readonly string[], input: Call, context: ReadContext): boolean {
  const { parts, identity, caller, now } = context
  if (input.auto_touch) for (const id of recalled) parts.usage.recalled(identity.org, id, contract.name, now)
  const mayReinforce = atLeast(roleIn(caller.claims, identity.org, identity.namespace), 'writer')
  for (const id of new Set(given.citations.map((citation) => citation.memory_id))) {
    parts.usage.cited(identity.org, id)
    if (input.reinforce && mayReinforce) parts.usage.reinforced(identity.org, id)
  }
  return !input.reinforce || mayReinforce
}

export const memoryAsk = defineRead(contract, async (input, call): Promise<Answer> => {
  // What an erasure overtakes is not kept for the next who asks.
  const context = { ...call, erasureSince: call.parts.numbers.known(call.identity.org) }
  requireQuery(input.query)
  const search = searchOf(input)
  const recall = await prepareRecall(search, context)
  const recalled = await recallPage(recall, search, 0, context)
  const sources = await sourcesOf(recalled, recall, context)
  const given = await answerFrom(sources, input, recall.vector, context)
  const hits = await hitsOf(recalled, recall, search, context)
  if (input.bodies) addBodies(hits, headsOf(recalled), input.body_budget_tokens)
  const heard = count(
    given,
    hits.map((hit) => hit.memory_id),
    input,
    context,
  )
  const sessions = new Map(sources.sources.map(({ head }) => [head.memory_id, head.session_id]))
  const citedIn = given.citations.map((citation) => sessions.get(citation.memory_id) ?? '-')
  return {
    answer: given.answer,
    source: given.citations.length === 0 ? 'none' : given.synthModel === '' ? 'extractive' : 'synthesis',
    ...abstentionOf(given, sources, abstention(0, recalled)),
    citations: [...given.citations],
    memory_keys: [...new Set(given.citations.map((citation) => citation.memory_key))],
    results: hits,
    conflicts: [...given.conflicts],
    external_dropped: sources.externalDropped,
    superseded_dropped: sources.supersededDropped,
    cited_sessions: [...new Set(citedIn.filter((session) => session !== '-'))],
    grounding: given.grounding,
    synth_model: given.synthModel,
    pending_extraction: await pendingExtraction(recall.scope.searched, context),
    next: '',
    degraded: searchDegraded(context),
    ...(heard ? {} : { ignored_args: ['reinforce'] }),
  }
})
