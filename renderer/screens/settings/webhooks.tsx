import { useState } from 'react'
import { useWebhookNamespaces, useWebhooks } from '../../data/webhooks.ts'
import { Unread } from '../../parts/notes.tsx'
import { WebhookCard } from './webhook-card.tsx'
import { WebhookDeliveries } from './webhook-deliveries.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { WEBHOOKS as say } from './webhook-strings.ts'

/** Who is told of the team's changes. @param namespace the one in sight */
export function WebhooksSection({ namespace }: { namespace: string }) {
  const namespaces = useWebhookNamespaces()
  const [chosen, setChosen] = useState('')
  const shown = [chosen, namespace].find((name) => namespaces.includes(name)) ?? namespaces[0]
  if (shown === undefined) {
    return (
      <>
        <h1 className="title">{say.notYours}</h1>
        <p className="lead">{say.notYoursNext}</p>
      </>
    )
  }
  return (
    <>
      <h1 className="title">{say.title}</h1>
      <p className="lead">{say.lead(shown)}</p>
      {namespaces.length > 1 && (
        <label className="field webhook-space">
          <span className="label">{say.namespace}</span>
          <select className="input select" value={shown} onChange={(event) => setChosen(event.target.value)}>
            {namespaces.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      <OfNamespace key={shown} namespace={shown} />
    </>
  )
}

function OfNamespace({ namespace }: { namespace: string }) {
  const { data: webhooks, error, refetch } = useWebhooks(namespace)
  if (!webhooks) {
    return error ? <Unread text={`${say.failed} ${error.message}`} onRetry={() => void refetch()} /> : <p className="q">{say.loading}</p>
  }
  return (
    <>
      {error && (
        <p className="note warn" role="alert">
          <span>
            {say.failed} {error.message}
          </span>
        </p>
      )}
      {webhooks.length === 0 ? (
        <section className="part" aria-labelledby="no-webhook">
          <h2 className="h3" id="no-webhook">
            {say.none}
          </h2>
          <p className="q">{say.noneNext}</p>
        </section>
      ) : (
        <ul className="webhooks" aria-label={say.title}>
          {webhooks.map((webhook) => (
            <WebhookCard key={webhook.webhook_id} webhook={webhook} />
          ))}
        </ul>
      )}
      <WebhookForm namespace={namespace} />
      <WebhookDeliveries namespace={namespace} webhooks={webhooks} />
    </>
  )
}
