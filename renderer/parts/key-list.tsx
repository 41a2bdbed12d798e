import { ALT, IS_MAC, MOD } from '../state/keys.ts'
import { hasShell } from '../state/shell.ts'
import { shortcutWords } from '../../shared/contract/shortcut.ts'
import { useSettings, type SettingsByKey } from '../data/settings.ts'
import { KEYS as say } from './strings.ts'

interface Group {
  readonly title: string
  readonly keys: readonly (readonly [string, readonly string[]])[]
}

const GROUPS: readonly Group[] = [
  {
    title: say.everywhere,
    keys: [
      ['Search', ['/']],
      ['Write', ['N']],
      ['Memories, Review, Timeline, Graph', [`${MOD} 1`, `${MOD} 2`, `${MOD} 3`, `${MOD} 4`]],
      ['Agents, Privacy, Settings, Knowledge, Records', [`${MOD} 5`, `${MOD} 6`, `${MOD} 7`, `${MOD} 8`, `${MOD} 9`]],
      ['Undo the last action', ['U', `${MOD} Z`]],
      ['Next pane', ['F6']],
      ['Back, then clear', ['Esc']],
      ['These keys', ['?']],
    ],
  },
  {
    title: say.list,
    keys: [
      ['Next', ['J', '↓']],
      ['Previous', ['K', '↑']],
      ['First, last', ['Home', 'End']],
      ['A page on, back', ['PgDn', 'PgUp']],
      ['Open', ['Enter', 'O']],
    ],
  },
  {
    title: say.memory,
    keys: [
      ['Edit', ['E']],
      ['Pin, unpin', ['P']],
      ['Versions', ['H']],
      ['Retire', ['Delete']],
      ['Restore a retired one', ['R']],
    ],
  },
  {
    title: say.review,
    keys: [
      ['Keep this', ['1']],
      ['Keep that', ['2']],
      ['Keep both', ['3']],
      ['Merge by hand', ['M']],
      ['Changed on sync: use mine', ['1']],
      ['Changed on sync: keep the server’s', ['2']],
      ['Changed on sync: try again', ['R']],
      ['Save a merge', [`${MOD} Enter`]],
      ['Next, previous', ['J', 'K']],
    ],
  },
  {
    title: say.timeline,
    keys: [
      ['A day back, on', ['←', '→']],
      ['A month back, on', ['Shift ←', 'Shift →']],
      ['First day, last day', ['Home', 'End']],
      ['Today', ['T']],
      ['Claims', ['↑', '↓']],
      ['Open in Memories', ['Enter', 'O']],
    ],
  },
  {
    title: say.graph,
    keys: [
      ['To the nearest neighbour', ['←', '→', '↑', '↓']],
      ['Closer, further', ['+', '-']],
      ['Show all', ['0']],
      ['Open', ['Enter']],
    ],
  },
  {
    title: say.writing,
    keys: [
      ['The main action', [`${MOD} Enter`]],
      ['Save all the same', [`${ALT} S`]],
      ['Update the other instead', [`${ALT} U`]],
      ['Options', [`${ALT} O`]],
      ['Take the suggested key', ['Tab']],
      ['Close, draft kept', ['Esc']],
    ],
  },
]

/** Keys that act while another app is in front, as the person has them. */
function ofSystem(settings: SettingsByKey): Group[] {
  const held = [
    ['Write a memory', settings['ui.shortcut_write'].value],
    ['Quick search', settings['ui.shortcut_search'].value],
  ] as const
  const keys = held.flatMap(([what, value]) => (value === '' ? [] : [[what, [shortcutWords(String(value), IS_MAC)]] as const]))
  return keys.length > 0 ? [{ title: say.system, keys }] : []
}

/** All keys, by where they act. */
export function KeyList() {
  const { data: settings } = useSettings()
  const groups = hasShell() && settings ? [...ofSystem(settings), ...GROUPS] : GROUPS
  return groups.map(({ title, keys }) => (
    <section key={title} aria-label={title}>
      <h3 className="h3">{title}</h3>
      <dl className="keys">
        {keys.map(([what, names]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>
              {names.map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  ))
}
