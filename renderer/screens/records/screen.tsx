import { useRecordUpdates, useSchemas } from '../../data/records.ts'
import { SectionsScreen, useSections, type ScreenProps } from '../../parts/sections-screen.tsx'
import { ONE_PANE, useMedia } from '../../state/media.ts'
import { useRoute } from '../../state/route.ts'
import { RecordsPane } from './records-pane.tsx'
import { SchemaList } from './schema-list.tsx'
import { RECORDS as say } from './strings.ts'

/** Rows with exact fields: a table for each schema. */
export function RecordsScreen(props: ScreenProps) {
  const { namespace } = props
  const onePane = useMedia(ONE_PANE)
  const [route] = useRoute()
  const { data: schemas = [], isPending } = useSchemas(namespace)
  useRecordUpdates()
  const current = schemas.find((row) => row.schema === route.id) ?? (onePane ? undefined : schemas[0])
  const name = current?.schema ?? ''
  const of = useSections({
    ...props,
    screen: 'records',
    title: say.title,
    named: name || say.title,
    sections: schemas.map((row) => row.schema),
    current: name,
    ownEscape: true,
  })
  const list = (
    <>
      <SchemaList namespace={namespace} schemas={schemas} current={of.marked} />
      {!isPending && schemas.length === 0 && (
        <div className="records-none">
          <p>{say.none}</p>
          <p className="q">{say.noneLong}</p>
          <p className="mono s">{say.noneHow}</p>
        </div>
      )}
    </>
  )
  return (
    <SectionsScreen of={of} className="schemas" list={list}>
      {current && <RecordsPane key={`${namespace}/${name}`} namespace={namespace} schema={current} onBack={of.back} />}
    </SectionsScreen>
  )
}
