import type { ReactNode } from 'react'
import { useBackups } from '../../data/backups.ts'
import { useEngineInfo, type EngineInfo } from '../../data/queries.ts'
import { useSettings } from '../../data/settings.ts'
import { useMaySync } from '../../data/sync.ts'
import { FactList } from '../../parts/fact-list.tsx'
import { locale } from '../../state/locale.ts'
import { sizeOf } from '../../text/size.ts'
import { COMPUTER as say } from './computer-strings.ts'
import { SwitchSetting, TypedSetting } from './setting-line.tsx'

/** Storage, model, and who may call: what is about this computer and not about its memories. */
export function ComputerSection() {
  const may = useMaySync()
  const { data: info } = useEngineInfo()
  const { data: settings } = useSettings()
  if (may === false) return <OfAnother />
  return (
    <>
      <h1 className="title">{say.title}</h1>
      <p className="lead">{say.lead}</p>
      {info && <Storage info={info} />}
      {!settings || !info ? (
        <p className="q">{say.loading}</p>
      ) : (
        <>
          <section className="part" aria-labelledby="model">
            <h2 className="h3" id="model">
              {say.model}
            </h2>
            <p className="q">{modelState(info.embedder)}</p>
            <TypedSetting setting={settings['embedding.model']} label={say.modelName} hint={say.modelHint} />
          </section>
          <section className="part" aria-labelledby="calls">
            <h2 className="h3" id="calls">
              {say.calls}
            </h2>
            <TypedSetting setting={settings.default_namespace} label={say.place} hint={say.placeHint} />
            <TypedSetting setting={settings['server.port']} label={say.port} hint={say.portHint} />
            <SwitchSetting setting={settings['server.http']} label={say.http} />
            <SwitchSetting setting={settings['server.mcp']} label={say.mcp} />
            <SwitchSetting setting={settings['ui.start_at_login']} label={say.login} />
          </section>
        </>
      )}
    </>
  )
}

/** In place of what only the person of the install sees. */
export function OfAnother() {
  return (
    <>
      <h1 className="title">{say.notHere}</h1>
      <p className="lead">{say.notHereNext}</p>
    </>
  )
}

function modelState({ state, dim }: EngineInfo['embedder']): string {
  return state === 'ready' ? say.modelState.ready(dim) : say.modelState[state]
}

function Storage({ info }: { info: EngineInfo }) {
  const { data: backups } = useBackups()
  const { storage, index, counts } = info
  const lines: readonly [string, ReactNode][] = [
    [say.holds, say.holdsWhat(counts.memories, counts.versions)],
    [say.database, sizeOf(storage.bytes, locale)],
    ...(backups
      ? [
          [
            say.backups,
            sizeOf(
              backups.reduce((sum, one) => sum + one.bytes, 0),
              locale,
            ),
          ] as [string, ReactNode],
        ]
      : []),
    [say.index, sizeOf(index.bytes, locale)],
    ...(storage.path
      ? [
          [
            say.folder,
            <bdi key="f" className="path">
              {storage.path}
            </bdi>,
          ] as [string, ReactNode],
        ]
      : []),
    [say.durable, storage.durable ? say.durableYes : say.durableNo],
  ]
  return (
    <section className="part" aria-labelledby="storage">
      <h2 className="h3" id="storage">
        {say.storage}
      </h2>
      <FactList lines={lines} className="facts" />
    </section>
  )
}
