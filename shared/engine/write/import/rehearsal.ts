import type { Analysis } from '../../../domain/judge/analyse.ts'
import { wordOverlap } from '../../../domain/judge/overlap.ts'
import type { PrepareContext } from '../../handler.ts'
import type { Head } from '../../store/memories.ts'
import type { Vectors } from '../../store/attachments.ts'
import { analysisOf } from '../content.ts'
import { cosine } from '../cosine.ts'
import type { Entry } from '../bulk/entries.ts'
import { levelled, MOST_PEERS, type Assessment, type Judged } from '../judging.ts'
import { detectsLevels, withTagFloor } from '../sensitivity.ts'
import type { Written } from '../set-claim.ts'
import { isLive } from '../state.ts'
import { judgeMet } from '../weighing.ts'

/** A row that an entry would have made. */
interface Unwritten {
  readonly head: Head
  readonly entry: Entry
  readonly vector: Float32Array | null
  readonly analysis: Analysis
}

/** What the earlier entries of a dry run would have left for the later ones to be judged against. */
interface Rehearsal {
  /**
   * The assessment of a claim with the rows that are not there, and without those that would be retired or other by now.
   * @param checked false: nothing is judged, and only equal text is met
   */
  meet(entry: Entry, stored: Assessment, vectors: Vectors | null, checked: boolean, context: PrepareContext): Promise<Assessment>
  /** Notes what a dry run of an entry came to. */
  note(entry: Entry, vectors: Vectors | null, written: Written): void
}

async function isJudged({ input, content }: Entry, { parts, db, identity }: PrepareContext): Promise<boolean> {
  const settings = await parts.settings.get(db, identity.org, identity.namespace)
  const detects = detectsLevels(settings, parts.config)
  const level = input.sensitivity !== '' ? input.sensitivity : detects ? content.detected : ''
  return withTagFloor(level, input.tags ?? [], settings) !== 'high'
}

export function createRehearsal(): Rehearsal {
  const unwritten: Unwritten[] = []
  /** Rows that are no more what the store holds. */
  const changed = new Set<string>()
  const retired = new Set<string>()

  async function judgedOf(entry: Entry, vectors: Vectors | null, context: PrepareContext): Promise<Judged[]> {
    const { parts, db, identity, now } = context
    const standing = unwritten.filter(({ head }) => head.status === 'active' && !retired.has(head.memory_id) && isLive(head, now))
    if (standing.length === 0 || !(await isJudged(entry, context))) return []
    const { conflict_threshold: threshold } = await parts.settings.get(db, identity.org, identity.namespace)
    const own = analysisOf(entry.content)
    const met = standing
      .filter(({ head }) => head.sensitivity !== 'high')
      .map((peer) => {
        const equal = peer.entry.content.canonicalSha256 === entry.content.canonicalSha256
        const similarity = equal ? 1 : Math.max(cosine(vectors?.value, peer.vector), wordOverlap(own, peer.analysis))
        return { ...peer, equal, similarity, memoryId: peer.head.memory_id, key: peer.head.memory_key, claim: peer.entry.content.claim }
      })
      .filter((peer) => peer.equal || peer.similarity >= threshold)
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, MOST_PEERS)
    return (await judgeMet(entry.content.claim, own, met, context)).flatMap(({ head, claim, similarity, equal, judgement }): Judged[] => {
      const found = levelled(judgement, equal)
      return found.finding === 'clear' ? [] : [{ head, claim, similarity, judgement: found, isRehearsed: true }]
    })
  }

  return {
    async meet(entry, stored, vectors, checked, context) {
      const standing = stored.judged.filter(({ head }) => !retired.has(head.memory_id) && !changed.has(head.memory_id))
      const met = (await judgedOf(entry, vectors, context)).filter((peer) => checked || peer.judgement.finding === 'same')
      return { judged: [...standing, ...met].sort((a, b) => b.similarity - a.similarity) }
    },
    note(entry, vectors, { would }) {
      if (!would) return
      for (const memoryId of would.retires) retired.add(memoryId)
      changed.add(would.head.memory_id)
      const analysis = analysisOf(entry.content)
      unwritten.push({ head: would.head, entry, vector: vectors?.value ?? null, analysis })
    },
  }
}
