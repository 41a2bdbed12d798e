import { useState } from 'react'
import { Problem } from '../../parts/notes.tsx'
import { useSettings } from '../../data/settings.ts'
import { isUnencrypted } from '../settings/connect-input.ts'
import { useConnect } from '../settings/use-connect.ts'
import { Option } from './option.tsx'
import { Step } from './step.tsx'
import { FIRST_RUN } from './strings.ts'

const say = FIRST_RUN.place

export function PlaceStep({ onNext, onLeave }: { onNext: () => void; onLeave: () => void }) {
  const [isTeam, setTeam] = useState(false)
  const { fields, fault, busy, change, submit } = useConnect()
  const keep = Number(useSettings().data?.['backup.keep'].value ?? 7)
  const go = async (): Promise<void> => {
    if (!isTeam || (await submit()) === null) onNext()
  }
  const problem = fault ? (isUnencrypted(fields) ? say.unencrypted : fault.text) : ''
  return (
    <Step
      at={1}
      title={say.title}
      why={say.why}
      action={FIRST_RUN.next}
      busy={busy}
      onSubmit={() => void go()}
      left={
        <button type="button" className="btn text" onClick={onLeave}>
          {FIRST_RUN.notNow}
        </button>
      }
    >
      <Option
        type="radio"
        name="place"
        label={say.here}
        note={say.recommended}
        why={say.hereWhy}
        checked={!isTeam}
        onChange={() => setTeam(false)}
      />
      <Option type="radio" name="place" label={say.team} why={say.teamWhy} checked={isTeam} onChange={() => setTeam(true)}>
        <input
          className="input mono"
          aria-label={say.link}
          placeholder="loom://pair?…"
          autoComplete="off"
          spellCheck={false}
          value={fields.link}
          aria-invalid={isTeam && problem !== ''}
          onFocus={() => setTeam(true)}
          onChange={(event) => change({ link: event.target.value })}
        />
        <Problem text={isTeam ? problem : ''} />
      </Option>
      <p className="s q">{say.backups(keep)}</p>
    </Step>
  )
}
