import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { collectionDelete as contract } from '../../../contract/ops/collection/delete.ts'
import { askErasure } from '../../erasure/ask.ts'
import { defineBatch, type PrepareContext } from '../../handler.ts'

/** A document of the collection, deleted or not, or an erasure of it that has not ended well. */
async function isKnown({ db, identity: { org, namespace } }: PrepareContext, collection: string): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`SELECT EXISTS (SELECT 1 FROM loom.knowledge_document d WHERE d.org = ${org}
      AND d.namespace = ${namespace} AND d.collection = ${collection})
    OR EXISTS (SELECT 1 FROM loom.erasure_saga s WHERE s.org = ${org} AND s.namespaces = ARRAY[${namespace}]::text[]
      AND s.collection = ${collection} AND s.status <> 'completed') AS known`.execute(db)
  return rows[0]?.known === true
}

export const collectionDelete = defineBatch(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { identity, actor } = context
  const { collection, purge, requester = actor } = input
  if (!(await isKnown(context, collection)))
    throw new LoomError(
      'NOT_FOUND',
      `There is no collection ${collection} in ${identity.namespace}. collection.list names those that are there.`,
      {
        field: 'collection',
      },
    )
  return askErasure(
    {
      op: contract.name,
      scope_type: 'collection',
      scope_value: `${identity.namespace}/${collection}`,
      namespaces: [identity.namespace],
      userId: '',
      collection,
      requester,
      urgency: 'normal',
      purge,
      external: true,
    },
    context,
  )
})
