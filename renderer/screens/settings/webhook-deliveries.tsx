import { useState } from 'react'
import { useDeliveries, type Delivery, type DeliveryState, type Webhook } from '../../data/webhooks.ts'
import { Choice } from '../../parts/choice.tsx'
import { locale, useNow } from '../../state/locale.ts'
import { dateAndTime, listDate, timeOfDay } from '../../text/when.ts'
import { DELIVERIES as say } from './webhook-strings.ts'
import { outcomeWords } from './webhook-words.ts'

interface DeliveriesProps {
  readonly namespace: string
  readonly webhooks: readonly Webhook[]
}

/** What was told of late, what waits, and what was given up, with the last answer or fault of each. */
export function WebhookDeliveries({ namespace, webhooks }: DeliveriesProps) {
  const [shown, setShown] = useState<DeliveryState | 'all'>('all')
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useDeliveries(namespace, shown === 'all' ? null : shown)
  const rows = data?.pages.flatMap((page) => page.rows) ?? []
  return (
    <section className="part deliveries" aria-labelledby="deliveries">
      <h2 className="h3" id="deliveries">
        {say.title}
      </h2>
      <p className="q">{say.lead}</p>
      <Choice name="delivery-state" label={say.state} value={shown} options={say.states} onChange={setShown} />
      {error && (
        <p className="note warn" role="alert">
          <span>
            {say.failed} {error.message}
          </span>
        </p>
      )}
      {data && rows.length === 0 && <p className="q">{shown === 'all' ? say.none : say.noneOf}</p>}
      {rows.length > 0 && <Table rows={rows} webhooks={webhooks} />}
      {hasNextPage && (
        <div className="acts">
          <button type="button" className="btn" aria-disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {say.more}
          </button>
        </div>
      )}
    </section>
  )
}

function Table({ rows, webhooks }: { rows: readonly Delivery[]; webhooks: readonly Webhook[] }) {
  const now = useNow()
  const addresses = new Map(webhooks.map((webhook) => [webhook.webhook_id, webhook.url]))
  // With one address, and nothing left of any other, it would stand the same in each line.
  const isOne = addresses.size === 1 && rows.every((row) => addresses.has(row.webhook_id))
  return (
    <table className="table" aria-labelledby="deliveries">
      <thead>
        <tr>
          <th scope="col">{say.when}</th>
          <th scope="col">{say.what}</th>
          <th scope="col">{say.outcome}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={`${row.webhook_id} ${row.event_id}`}>
            <td className="nw">
              <time dateTime={row.occurred_at} title={dateAndTime(row.occurred_at, locale)}>
                {listDate(row.occurred_at, now, locale)}
              </time>
            </td>
            <td>
              <code>{row.type}</code>
              {!isOne && <bdi className="more-of">{say.to(addresses.get(row.webhook_id) ?? say.gone)}</bdi>}
            </td>
            <td>
              <Outcome row={row} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const TONES: Readonly<Record<DeliveryState, string>> = { delivered: 'dot', pending: 'dot off', dead: 'dot bad' }

function Outcome({ row: { state, attempts, last_status, last_error, next_attempt_at } }: { row: Delivery }) {
  const why = state === 'delivered' ? '' : outcomeWords(last_status, last_error)
  const more = [
    ...(why ? [why] : []),
    ...(attempts > 0 ? [say.attempts(attempts)] : []),
    ...(state === 'pending' && attempts > 0 && next_attempt_at !== null ? [say.next(timeOfDay(next_attempt_at, locale))] : []),
  ]
  return (
    <>
      <span className="webhook-state">
        <span className={TONES[state]} aria-hidden="true" />
        {say[state]}
      </span>
      {more.length > 0 && <bdi className="more-of">{more.join(' · ')}</bdi>}
    </>
  )
}
