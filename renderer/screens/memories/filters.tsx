import { Popover } from '@base-ui/react/popover'
import type { MemoryType } from '../../../shared/contract/common.ts'
import type { Filter, StatusFilter } from '../../data/filter.ts'
import type { NamespaceRow } from '../../data/namespaces.ts'
import { useTeam } from '../../data/sync.ts'
import { ChipMenu, type Option } from '../../parts/chip-menu.tsx'
import { locale } from '../../state/locale.ts'
import { SMALL, useMedia } from '../../state/media.ts'
import { TYPE_WORDS } from '../../text/plain-words.ts'
import { count } from '../../text/when.ts'
import { FILTERS as say } from './strings.ts'
import { TagFilter } from './tag-filter.tsx'

interface FiltersProps {
  readonly filter: Filter
  readonly namespaces: readonly NamespaceRow[]
  readonly tags: readonly string[]
  readonly onFilter: (change: Partial<Filter>) => void
  readonly onNamespace: (namespace: string) => void
}

const TYPES: readonly Option[] = [
  { value: '', label: say.anyType },
  ...(Object.entries(TYPE_WORDS) as [MemoryType, string][]).map(([value, label]) => ({ value, label })),
]
const STATUSES: readonly Option[] = (Object.entries(say.statuses) as [StatusFilter, string][]).map(([value, label]) => ({ value, label }))
/** Only what is written for a team waits for anything. */
function useStatuses(): readonly Option[] {
  const team = useTeam()
  return team ? STATUSES : STATUSES.filter(({ value }) => value !== 'waiting')
}

/** No namespace has this name: names have no asterisk. */
const EVERYWHERE = '*'

/** Where, which type, which status, which tag. Below 560 px they become one chip. */
export function Filters(props: FiltersProps) {
  const small = useMedia(SMALL)
  const { filter, namespaces, onFilter, onNamespace } = props
  const scopes: Option[] = [
    ...namespaces.map((row) => ({ value: row.namespace, label: row.namespace, amount: row.rows })),
    ...(filter.query && namespaces.length > 1 ? [{ value: EVERYWHERE, label: say.everywhere }] : []),
  ]
  const everywhere = filter.everywhere && filter.query !== ''
  const where = (
    <ChipMenu
      name={say.namespace}
      label={everywhere ? say.everywhere : filter.namespace || '…'}
      on
      value={everywhere ? EVERYWHERE : filter.namespace}
      options={scopes}
      onChoose={(value) => (value === EVERYWHERE ? onFilter({ everywhere: true }) : onNamespace(value))}
    />
  )
  return (
    <div className="chips" role="group" aria-label={say.label}>
      {where}
      {small ? <OneChip {...props} /> : <Chips {...props} />}
    </div>
  )
}

function Chips({ filter, tags, onFilter }: FiltersProps) {
  const statuses = useStatuses()
  return (
    <>
      <ChipMenu
        name={say.type}
        label={filter.type ? TYPE_WORDS[filter.type] : say.anyType}
        on={filter.type !== ''}
        value={filter.type}
        options={TYPES}
        onChoose={(type) => onFilter({ type: type as Filter['type'] })}
      />
      <ChipMenu
        name={say.status}
        label={say.statuses[filter.status]}
        on={filter.status !== 'current'}
        value={filter.status}
        options={statuses}
        onChoose={(status) => onFilter({ status: status as StatusFilter })}
      />
      <TagFilter tag={filter.tag} tags={tags} onTag={(tag) => onFilter({ tag })} />
    </>
  )
}

function OneChip({ filter, tags, onFilter }: FiltersProps) {
  const statuses = useStatuses()
  const chosen = [filter.type !== '', filter.status !== 'current', filter.tag !== ''].filter(Boolean).length
  return (
    <Popover.Root>
      <Popover.Trigger className={chosen ? 'chip on' : 'chip'}>
        {say.label} {chosen > 0 && <b>{count(chosen, locale)}</b>}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="start">
          <Popover.Popup className="pop" aria-label={say.label}>
            <div className="filter-form">
              <Select
                label={say.type}
                value={filter.type}
                options={TYPES}
                onChoose={(type) => onFilter({ type: type as Filter['type'] })}
              />
              <Select
                label={say.status}
                value={filter.status}
                options={statuses}
                onChoose={(status) => onFilter({ status: status as StatusFilter })}
              />
              <Select
                label={say.tagField}
                value={filter.tag}
                options={[{ value: '', label: say.anyTag }, ...new Set([...(filter.tag ? [filter.tag] : []), ...tags])].map((tag) =>
                  typeof tag === 'string' ? { value: tag, label: tag } : tag,
                )}
                onChoose={(tag) => onFilter({ tag })}
              />
              <button type="button" className="btn" onClick={() => onFilter({ type: '', status: 'current', tag: '' })}>
                {say.clear}
              </button>
            </div>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

interface SelectProps {
  readonly label: string
  readonly value: string
  readonly options: readonly Option[]
  readonly onChoose: (value: string) => void
}

function Select({ label, value, options, onChoose }: SelectProps) {
  return (
    <label className="field">
      <span className="label">{label}</span>
      <select className="input select" value={value} onChange={(event) => onChoose(event.target.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  )
}
