import type { TimelineRow } from '../../data/timeline.ts'

/** A version of a memory with the two times that it has. Instants in milliseconds; an end that never comes is Infinity. */
export interface Claim {
  readonly version: string
  readonly text: string
  readonly status: TimelineRow['status']
  readonly tags: readonly string[]
  readonly entities: readonly string[]
  readonly actor: string
  readonly agent: string
  /** Since when and until when it was true in the world. */
  readonly trueFrom: number
  readonly trueUntil: number
  /** Since when and until when Loom held it. */
  readonly heldFrom: number
  readonly heldUntil: number
}

/** What one key said over time. */
export interface Lane {
  readonly id: string
  readonly key: string
  /** In the order in which they were learnt. */
  readonly claims: readonly Claim[]
}

const instant = (iso: string | null): number => (iso === null ? Number.POSITIVE_INFINITY : Date.parse(iso))

function claimOf(row: TimelineRow): Claim {
  return {
    version: row.version_text,
    text: row.excerpt,
    status: row.status,
    tags: row.tags,
    entities: row.entities,
    actor: row.actor,
    agent: row.agent,
    trueFrom: instant(row.true_from),
    trueUntil: instant(row.true_until),
    heldFrom: instant(row.known_from),
    heldUntil: instant(row.held_until),
  }
}

/** Rows gathered by key; the keys in the order in which they first come. */
export function lanesOf(rows: readonly TimelineRow[]): Lane[] {
  const lanes = new Map<string, { id: string; key: string; claims: Claim[] }>()
  for (const row of rows) {
    const lane = lanes.get(row.memory_id)
    if (lane) lane.claims.push(claimOf(row))
    else lanes.set(row.memory_id, { id: row.memory_id, key: row.memory_key, claims: [claimOf(row)] })
  }
  for (const lane of lanes.values()) lane.claims.sort((a, b) => a.heldFrom - b.heldFrom || (a.version < b.version ? -1 : 1))
  return [...lanes.values()]
}

/** The lanes that speak of an entity and carry a tag; an empty name asks for nothing. */
export function lanesAbout(lanes: readonly Lane[], entity: string, tag: string): readonly Lane[] {
  const [named, tagged] = [entity.toLowerCase(), tag.toLowerCase()]
  const fits = ({ claims }: Lane): boolean =>
    (named === '' || claims.some((claim) => claim.entities.some((name) => name.toLowerCase() === named))) &&
    (tagged === '' || claims.some((claim) => claim.tags.some((name) => name.toLowerCase() === tagged)))
  return named === '' && tagged === '' ? lanes : lanes.filter(fits)
}

/** Both answers of a key: what was true at an instant, and what Loom held then. */
export interface Standing {
  readonly truth: Claim | null
  readonly held: Claim | null
}

export function standingAt({ claims }: Lane, at: number): Standing {
  return {
    truth: claims.find(({ trueFrom, trueUntil }) => trueFrom <= at && at < trueUntil) ?? null,
    held: claims.findLast(({ heldFrom, heldUntil }) => heldFrom <= at && at < heldUntil) ?? null,
  }
}

/** Both answers say the same: one version, or one that was put back as it had been. */
export const agree = ({ truth, held }: Standing): boolean => truth !== null && held !== null && (truth === held || truth.text === held.text)

/** How many keys stood how at an instant. */
export interface Tally {
  readonly truths: number
  /** Of the truths: held at the time; not learnt yet; and held no more. */
  readonly known: number
  readonly unlearnt: number
  readonly dropped: number
  /** Held, but over in the world; or held, but not true yet. */
  readonly outlived: number
  readonly early: number
}

export function tallyOf(lanes: readonly Lane[], at: number): Tally {
  let [truths, known, unlearnt, dropped, outlived, early] = [0, 0, 0, 0, 0, 0]
  for (const lane of lanes) {
    const standing = standingAt(lane, at)
    const { truth, held } = standing
    if (truth) truths++
    if (agree(standing)) {
      known++
      continue
    }
    if (truth) {
      if (truth.heldFrom > at) unlearnt++
      else dropped++
    }
    if (held) {
      if (held.trueFrom > at) early++
      else outlived++
    }
  }
  return { truths, known, unlearnt, dropped, outlived, early }
}

/** Names that come in some lanes, most used first. */
export function namesIn(lanes: readonly Lane[], of: 'entities' | 'tags'): string[] {
  const counts = new Map<string, number>()
  for (const { claims } of lanes)
    for (const name of new Set(claims.flatMap((claim) => claim[of]))) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].toSorted((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).map(([name]) => name)
}

/** Every instant at which something begins or ends. */
export function* instantsOf(lanes: readonly Lane[]): Generator<number> {
  for (const { claims } of lanes)
    for (const { trueFrom, trueUntil, heldFrom, heldUntil } of claims)
      for (const at of [trueFrom, trueUntil, heldFrom, heldUntil]) if (Number.isFinite(at)) yield at
}
