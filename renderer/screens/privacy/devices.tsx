import { useState } from 'react'
import { isAway, useDeviceNames, type Erasure, type Org } from '../../data/erasure.ts'
import { locale, useNow } from '../../state/locale.ts'
import { dateAndTime, shortDate } from '../../text/when.ts'
import { DEVICES as say } from './strings.ts'

type Pending = Erasure['devices_pending'][number]
type Proof = Erasure['receipts'][number]

export const leftOn = ({ census }: Proof): number => Object.values(census).reduce((sum, left) => sum + left, 0)

/** Devices that have proved it: their receipt counts nothing left. */
export const provedBy = ({ receipts }: Pick<Erasure, 'receipts'>): Proof[] => receipts.filter((receipt) => leftOn(receipt) === 0)

interface DevicesProps {
  readonly org: Org
  readonly erasure: Erasure
  /** Many are folded until they are asked for; on a receipt each stands. */
  readonly folds?: boolean
}

const UNFOLDED = 10

/** Every device of the scope: since when it is silent, or what it answered. */
export function Devices({ org, erasure, folds = false }: DevicesProps) {
  const [isOpen, setOpen] = useState(false)
  const { receipts, devices_pending: pending } = erasure
  const now = useNow()
  const names = useDeviceNames(
    org,
    receipts.map((receipt) => receipt.device_id),
  )
  const proved = provedBy(erasure)
  const answered = new Map(receipts.map((receipt) => [receipt.device_id, receipt]))
  const all = pending.length + proved.length
  const most = folds && !isOpen ? UNFOLDED : all
  return (
    <>
      <table className="table devices">
        <thead>
          <tr>
            <th scope="col">{say.device}</th>
            <th scope="col">{say.confirmedAt}</th>
            <th scope="col" className="r">
              {say.signature}
            </th>
          </tr>
        </thead>
        <tbody>
          {pending.slice(0, most).map((device) => (
            <tr key={device.device_id}>
              <td>
                <bdi>{device.name}</bdi>
              </td>
              <td colSpan={2}>{pendingWords(device, answered.get(device.device_id), now)}</td>
            </tr>
          ))}
          {proved.slice(0, Math.max(most - pending.length, 0)).map((receipt) => (
            <tr key={receipt.device_id}>
              <td>
                <bdi>{names.get(receipt.device_id) ?? receipt.device_id}</bdi>
              </td>
              <td>
                {say.confirmed}, <time dateTime={receipt.received_at}>{dateAndTime(receipt.received_at, locale)}</time>
              </td>
              <td className="r mono" title={receipt.signature}>
                {shortened(receipt.signature)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {all > most && (
        <p>
          <button type="button" className="btn sm" onClick={() => setOpen(true)}>
            {say.showAll(all)}
          </button>
        </p>
      )}
    </>
  )
}

function pendingWords(device: Pending, answer: Proof | undefined, now: Date): string {
  if (device.revoked) return say.revoked
  if (answer) return say.left(leftOn(answer))
  const { last_seen_at: seen } = device
  if (seen === null) return say.neverSeen
  return isAway(device, now) ? say.unseen(shortDate(seen, now, locale)) : say.told
}

const shortened = (signature: string): string => (signature.length > 9 ? `${signature.slice(0, 4)}…${signature.slice(-3)}` : signature)
