import { describe, expect, it } from 'vitest'
import { entityNode, type Ties } from '../../../../renderer/data/graph.ts'
import { withoutOverlap } from '../../../../renderer/screens/graph/labels.ts'
import { arrange, spiral } from '../../../../renderer/screens/graph/layout.ts'
import { modelAround, modelOfRows, neighboursOf, withTies } from '../../../../renderer/screens/graph/model.ts'
import { nearestIn } from '../../../../renderer/screens/graph/nearest-node.ts'
import type { ReadRow } from '../../../../renderer/data/queries.ts'
import type { ListRow } from '../../../../shared/contract/row.ts'

const NOTHING = { found: true, self: null, rows: [], triples: [], links_in: [], links_out: [], related: [] } satisfies Omit<Ties, 'node'>
const at = '2026-12-01T00:00:00.000Z'
const link = (memory_id: string, relation: string) => ({ memory_id, memory_key: memory_id, relation, note: '', at })
const row = (memory_id: string, via: Ties['rows'][number]['via'], why: string): Ties['rows'][number] => ({
  memory_id,
  memory_key: memory_id,
  excerpt: `It is ${memory_id}.`,
  status: 'active',
  via,
  why: [why],
  similarity: 0,
  distance: 1,
})
const self = (memory_id: string, entities: string[]) =>
  ({ memory_id, memory_key: memory_id, value: `It is ${memory_id}.`, status: 'active', entities }) as unknown as ReadRow
const told = (model: ReturnType<typeof modelAround>): string[] =>
  model.ties.map(({ from, to, kind, words }) => `${from} ${kind} ${to}: ${words}`).toSorted()

describe('the graph around a memory', () => {
  const retry: Ties = {
    ...NOTHING,
    node: 'retry',
    self: self('retry', ['payments']),
    links_out: [link('rollback', 'depends_on')],
    links_in: [link('runbook', 'supports')],
    rows: [
      row('rollback', 'link', 'links to: depends_on'),
      row('owner', 'entity', 'entity: payments'),
      row('limits', 'meaning', 'meaning 0.61'),
    ],
    triples: [
      {
        subject: 'Payments',
        predicate: 'runs in',
        object: 'Frankfurt',
        memory_key: 'region',
        memory_id: 'region',
        confidence: 1,
        valid_at: null,
      },
    ],
  }

  it('ties it to what it links to, what shares its entities, what is near, and what a statement says', () => {
    expect(told(modelAround([retry]))).toEqual([
      'entity:payments triple entity:frankfurt: runs in',
      'owner entity entity:payments: names it',
      'region entity entity:payments: tells of it',
      'retry entity entity:payments: names it',
      'retry link rollback: depends on',
      'retry meaning limits: similar meaning',
      'runbook link retry: supports',
    ])
  })

  it('begins with the memory itself, and knows what a node says once anything tells', () => {
    const model = modelAround([retry])
    expect([...model.nodes.keys()][0]).toBe('retry')
    expect(model.nodes.get('rollback')).toMatchObject({ kind: 'memory', text: 'It is rollback.' })
    expect(model.nodes.get(entityNode('payments'))).toMatchObject({ kind: 'entity', label: 'payments' })
  })

  it('has each tie once, however many answers tell of it, and none to a node that is not there', () => {
    const rollback: Ties = {
      ...NOTHING,
      node: 'rollback',
      links_in: [link('retry', 'depends_on')],
      rows: [row('rollback', 'key', 'key: docs/')],
    }
    expect(told(modelAround([retry, rollback]))).toEqual(told(modelAround([retry])))
    const model = modelAround([retry])
    expect(withTies(model, rollback)).toBe(model)
    const more: Ties = {
      ...NOTHING,
      node: 'owner',
      rows: [row('limits', 'meaning', 'meaning 0.7'), row('elsewhere', 'meaning', 'meaning 0.5')],
    }
    expect(told(withTies(model, more)).filter((tie) => !told(model).includes(tie))).toEqual(['owner meaning limits: similar meaning'])
  })

  it('tells the neighbours of a node, from both ends', () => {
    const neighbours = neighboursOf(modelAround([retry]))
    expect(neighbours.get('rollback')?.map(({ node }) => node.id)).toEqual(['retry'])
    expect(neighbours.get('entity:payments')).toHaveLength(4)
  })
})

describe('the graph of a namespace', () => {
  const listed = (memory_id: string, entities: string[], more: Partial<ListRow> = {}) =>
    ({
      memory_id,
      memory_key: memory_id,
      excerpt: '',
      status: 'active',
      entities,
      superseded_by: '',
      duplicate_of: '',
      derived_from: [],
      ...more,
    }) as unknown as ListRow

  it('has the entities that several memories name, and what came of what', () => {
    const model = modelOfRows([
      listed('a', ['x', 'y']),
      listed('b', ['x']),
      listed('c', [], { derived_from: ['a', 'gone'], duplicate_of: 'b' }),
    ])
    expect([...model.nodes.keys()]).toEqual(['a', 'b', 'c', 'entity:x'])
    expect(told(model)).toEqual([
      'a entity entity:x: names it',
      'b entity entity:x: names it',
      'c lineage a: built from it',
      'c lineage b: repeats it',
    ])
  })
})

describe('the picture', () => {
  it('is the same for the same graph, every node at a place of its own, tied ones nearer', () => {
    const task = { nodes: 30, from: Uint32Array.from([0, 1, 2, 10, 11]), to: Uint32Array.from([1, 2, 0, 11, 12]) }
    const places = arrange(task)
    expect(arrange(task)).toEqual(places)
    expect(places).toHaveLength(60)
    expect(places.every(Number.isFinite)).toBe(true)
    const far = (a: number, b: number): number => Math.hypot(places[a * 2]! - places[b * 2]!, places[a * 2 + 1]! - places[b * 2 + 1]!)
    expect(far(0, 1)).toBeLessThan(far(0, 29))
    expect(new Set(Array.from({ length: 30 }, (_, at) => `${spiral(30)[at * 2]} ${spiral(30)[at * 2 + 1]}`)).size).toBe(30)
    expect(arrange({ nodes: 0, from: new Uint32Array(), to: new Uint32Array() })).toHaveLength(0)
    expect(arrange({ nodes: 1, from: new Uint32Array(), to: new Uint32Array() })).toEqual(new Float32Array(2))
  })

  it('is walked to the nearest that is more ahead than aside', () => {
    const nodes = [
      { id: 'right', x: 100, y: 10 },
      { id: 'far right', x: 200, y: 0 },
      { id: 'below', x: 20, y: 80 },
      { id: 'aslant', x: 50, y: -60 },
    ]
    const from = { x: 0, y: 0 }
    expect(nearestIn(from, nodes, 'right')).toBe('right')
    expect(nearestIn(from, nodes, 'down')).toBe('below')
    expect(nearestIn(from, nodes, 'up')).toBe('aslant')
    expect(nearestIn(from, nodes, 'left')).toBe(null)
  })

  it('names as many nodes as can be read, the first before the others', () => {
    const name = (x: number, y: number) => ({ x, y, width: 100 })
    expect(withoutOverlap([name(0, 0), name(50, 4), name(130, 0), name(0, 40)], 10)).toEqual([0, 2, 3])
    expect(withoutOverlap([name(0, 0), name(0, 40), name(0, 80)], 2)).toEqual([0, 1])
  })
})
