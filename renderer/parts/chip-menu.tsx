import { Menu } from '@base-ui/react/menu'
import { locale } from '../state/locale.ts'
import { count } from '../text/when.ts'

export interface Option {
  readonly value: string
  readonly label: string
  readonly amount?: number
}

interface ChipMenuProps {
  readonly name: string
  readonly label: string
  readonly on: boolean
  readonly value: string
  readonly options: readonly Option[]
  readonly onChoose: (value: string) => void
}

/** A chip that says what is chosen of a few, and opens them. */
export function ChipMenu({ name, label, on, value, options, onChoose }: ChipMenuProps) {
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={on ? 'chip on' : 'chip'} aria-label={`${name}: ${label}`}>
        <span>
          <bdi>{label}</bdi>
        </span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="start">
          <Menu.Popup className="pop" aria-label={name}>
            <Menu.RadioGroup value={value} onValueChange={onChoose}>
              {options.map((option) => (
                <Menu.RadioItem key={option.value} value={option.value} closeOnClick>
                  <bdi>{option.label}</bdi>
                  {option.amount !== undefined && <b>{count(option.amount, locale)}</b>}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
