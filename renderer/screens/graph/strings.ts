import { locale } from '../../state/locale.ts'
import { count } from '../../text/when.ts'
import type { TieKind } from './model.ts'

const amount = (number: number, one: string, many: string): string => (number === 1 ? `1 ${one}` : `${count(number, locale)} ${many}`)

export const GRAPH = {
  title: 'Graph',
  scope: 'What is shown',
  around: 'Around one',
  whole: 'Whole namespace',
  search: 'Find in the graph',
  list: 'Nodes of the graph',
  meta: (nodes: number, ties: number) => `${amount(nodes, 'node', 'nodes')}, ${amount(ties, 'tie', 'ties')}`,
  opening: 'Opening…',
  arranging: (nodes: number) => `Arranging ${amount(nodes, 'node', 'nodes')}…`,
  order: 'Most tied first',
  changed: 'Changed. Read again',
  canvas: 'The graph drawn',
  keys: 'Arrows go to the nearest neighbour, plus and minus zoom, 0 shows all, Enter opens.',
  chosen: (label: string, ties: number) => `${label}, ${amount(ties, 'tie', 'ties')}`,
  ties: (number: number) => amount(number, 'tie', 'ties'),
  entity: 'Entity',
  closer: 'Closer',
  further: 'Further',
  fit: 'Show all',
  legend: { memory: 'Memory', entity: 'Entity', conflict: 'In conflict' },
  failed: 'The graph could not be read',
  stopped: 'The graph could not be read again. What is shown is the last answer.',
  tryAgain: 'Try again',
  cut: (memories: number) => `The newest ${count(memories, locale)} memories are shown.`,
  empty: 'Nothing to draw yet',
  emptyNext: 'Memories stand here with the entities that they name, and with what they are linked to.',
  write: 'Write the first one',
  gone: 'It is not here any more',
  goneNext: 'The memory or entity was deleted, or is in another namespace.',
  newest: 'Begin at the newest memory',
  alone: 'Nothing is tied to it yet. A link, an entity that it shares, or one of near meaning would be.',
  nothing: (typed: string) => `No node is named like ${typed}`,
  back: 'Graph',
}

export const NODE = {
  label: 'Node',
  memory: 'Memory',
  entity: 'Entity',
  open: 'Open in Memories',
  center: 'Look around it',
  reading: 'Reading what it is tied to…',
  failed: (why: string) => `What it is tied to could not be read: ${why}`,
  none: 'Nothing is tied to it.',
  kinds: {
    link: 'Linked',
    triple: 'In the same statement',
    lineage: 'Took its place, or came of it',
    entity: 'By an entity',
    meaning: 'Near in meaning',
    key: 'Beside it',
  } satisfies Record<TieKind, string>,
}
