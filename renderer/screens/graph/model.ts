import type { Status } from '../../../shared/contract/common.ts'
import type { ListRow } from '../../../shared/contract/row.ts'
import { entityNode, entityOf, type Ties } from '../../data/graph.ts'
import { relatedBecause } from '../../text/plain-words.ts'
import { claimText } from '../../text/value-text.ts'

export interface GraphNode {
  readonly id: string
  readonly kind: 'memory' | 'entity'
  /** The key of a memory, the name of an entity. */
  readonly label: string
  /** What the memory says; "" where it is not known. */
  readonly text: string
  readonly status: Status
}

export type TieKind = 'link' | 'triple' | 'entity' | 'lineage' | 'meaning' | 'key'

/** Ties that somebody stated, as against what is merely near or shared. */
export const STRONG_TIES: ReadonlySet<TieKind> = new Set<TieKind>(['link', 'triple', 'lineage'])

/** Two nodes that are tied, and why in words. */
export interface Tie {
  readonly from: string
  readonly to: string
  readonly kind: TieKind
  readonly words: string
}

export interface Model {
  readonly nodes: ReadonlyMap<string, GraphNode>
  readonly ties: readonly Tie[]
}

/** An entity that this many memories of a whole namespace name is a node of its own. */
const SHARED_BY = 2
const EXCERPT = 200

interface Draft {
  readonly nodes: Map<string, GraphNode>
  readonly ties: Map<string, Tie>
}

const draft = (): Draft => ({ nodes: new Map(), ties: new Map() })
const done = ({ nodes, ties }: Draft): Model => ({
  nodes,
  ties: [...ties.values()].filter(({ from, to }) => from !== to && nodes.has(from) && nodes.has(to)),
})

/** The first word on a node is the best known; a later one fills in what it lacked. */
function addNode({ nodes }: Draft, node: GraphNode): void {
  const known = nodes.get(node.id)
  if (!known || (known.text === '' && node.text !== '')) nodes.set(node.id, node)
}

function addTie({ ties }: Draft, tie: Tie): void {
  const name = [...[tie.from, tie.to].toSorted(), tie.kind === 'link' || tie.kind === 'triple' ? tie.words : ''].join('\n')
  if (!ties.has(name)) ties.set(name, tie)
}

function addEntity(into: Draft, name: string): string {
  const id = entityNode(name.toLowerCase())
  addNode(into, { id, kind: 'entity', label: name.toLowerCase(), text: '', status: 'active' })
  return id
}

interface Named {
  readonly memory_id: string
  readonly memory_key: string
  readonly excerpt?: string
  readonly status?: Status
}

function addMemory(into: Draft, { memory_id, memory_key, excerpt = '', status = 'active' }: Named): string {
  addNode(into, { id: memory_id, kind: 'memory', label: memory_key, text: excerpt, status })
  return memory_id
}

/** Entities of the memory itself that a reason names: "entity: ada, rate limiter". */
function sharedNames(why: readonly string[], own: readonly string[]): string[] {
  const named = why.flatMap((reason) => (reason.startsWith('entity: ') ? [`, ${reason.slice('entity: '.length)}, `] : []))
  return own.filter((name) => named.some((list) => list.includes(`, ${name}, `)))
}

function addTies(into: Draft, { node, self, rows, triples, links_in, links_out, related }: Ties): void {
  const entity = entityOf(node)
  const own = entity === null ? (self?.entities ?? []) : [entity]
  if (entity !== null) addEntity(into, entity)
  if (self) addMemory(into, { ...self, excerpt: claimText(self.value ?? undefined).slice(0, EXCERPT) })
  for (const name of self?.entities ?? []) addTie(into, { from: node, to: addEntity(into, name), kind: 'entity', words: 'names it' })
  for (const link of links_out)
    addTie(into, { from: node, to: addMemory(into, link), kind: 'link', words: link.relation.replaceAll('_', ' ') })
  for (const link of links_in)
    addTie(into, { from: addMemory(into, link), to: node, kind: 'link', words: link.relation.replaceAll('_', ' ') })
  for (const row of related) addTie(into, { from: node, to: addMemory(into, row), kind: 'lineage', words: row.why.join('; ') })
  for (const triple of triples) {
    const [subject, object] = [addEntity(into, triple.subject), addEntity(into, triple.object)]
    addTie(into, { from: subject, to: object, kind: 'triple', words: triple.predicate })
    addTie(into, { from: addMemory(into, triple), to: subject, kind: 'entity', words: 'tells of it' })
  }
  for (const row of rows) {
    const to = addMemory(into, row)
    // The link itself says more than the row that it leads to.
    if (row.via === 'link' && [...links_in, ...links_out].some((link) => link.memory_id === to)) continue
    const shared = row.via === 'entity' ? sharedNames(row.why, own) : []
    for (const name of shared) addTie(into, { from: to, to: addEntity(into, name), kind: 'entity', words: 'names it' })
    if (shared.length === 0) addTie(into, { from: node, to, kind: row.via, words: relatedBecause(row.why) })
  }
}

/** Nodes and ties around the first of some answers. */
export function modelAround(answers: readonly Ties[]): Model {
  const into = draft()
  for (const answer of answers) addTies(into, answer)
  return done(into)
}

/** The memories of a namespace, the entities that they share, and what took the place of what. */
export function modelOfRows(rows: readonly ListRow[]): Model {
  const into = draft()
  const namedBy = new Map<string, string[]>()
  for (const row of rows) {
    addMemory(into, row)
    for (const name of row.entities) {
      const known = namedBy.get(name)
      if (known) known.push(row.memory_id)
      else namedBy.set(name, [row.memory_id])
    }
  }
  for (const row of rows) {
    const { memory_id: from } = row
    if (row.superseded_by !== '') addTie(into, { from, to: row.superseded_by, kind: 'lineage', words: 'replaced by it' })
    if (row.duplicate_of !== '') addTie(into, { from, to: row.duplicate_of, kind: 'lineage', words: 'repeats it' })
    for (const to of row.derived_from) addTie(into, { from, to, kind: 'lineage', words: 'built from it' })
  }
  for (const [name, ids] of namedBy) {
    if (ids.length < SHARED_BY) continue
    const to = addEntity(into, name)
    for (const from of ids) addTie(into, { from, to, kind: 'entity', words: 'names it' })
  }
  return done(into)
}

/** A model with the ties of one more answer between the nodes that it has; none is added. */
export function withTies(model: Model, answer: Ties | undefined): Model {
  if (!answer || !model.nodes.has(answer.node)) return model
  const into: Draft = { nodes: new Map(), ties: new Map() }
  addTies(into, answer)
  const known = new Set(model.ties.map(nameOfTie))
  const more = [...into.ties.values()].filter(
    (tie) => tie.from !== tie.to && model.nodes.has(tie.from) && model.nodes.has(tie.to) && !known.has(nameOfTie(tie)),
  )
  return more.length === 0 ? model : { nodes: model.nodes, ties: [...model.ties, ...more] }
}

const nameOfTie = ({ from, to }: Tie): string => [from, to].toSorted().join('\n')

export interface Neighbour {
  readonly node: GraphNode
  readonly tie: Tie
}

/** The nodes that are tied to each node. */
export function neighboursOf({ nodes, ties }: Model): ReadonlyMap<string, readonly Neighbour[]> {
  const found = new Map<string, Neighbour[]>()
  const add = (at: string, other: string, tie: Tie): void => {
    const node = nodes.get(other)
    if (!node) return
    const known = found.get(at)
    if (known) known.push({ node, tie })
    else found.set(at, [{ node, tie }])
  }
  for (const tie of ties) {
    add(tie.from, tie.to, tie)
    add(tie.to, tie.from, tie)
  }
  return found
}
