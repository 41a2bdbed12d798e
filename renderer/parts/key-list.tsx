import { ALT, MOD } from '../state/keys.ts'
import { KEYS as say } from './strings.ts'

const GROUPS: readonly { title: string; keys: readonly (readonly [string, readonly string[]])[] }[] = [
  {
    title: say.everywhere,
    keys: [
      ['Search', ['/']],
      ['Write', ['N']],
      ['Memories, Review, Settings, Knowledge, Records, Privacy', [`${MOD} 1`, `${MOD} 2`, `${MOD} 3`, `${MOD} 4`, `${MOD} 5`, `${MOD} 6`]],
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

/** All keys, by where they act. */
export function KeyList() {
  return GROUPS.map(({ title, keys }) => (
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
