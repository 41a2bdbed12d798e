import { HOST_CALLS, type AppList, type HostAnswers, type HostCallName } from '../shared/contract/host-calls.ts'
import { LoomError } from '../shared/contract/errors.ts'
import type { LocalEngine } from '../shared/engine/create.ts'
import type { HostCalls } from '../shared/transport/host-calls.ts'
import type { Apps } from './apps/apps.ts'

export interface HostCallsOptions {
  readonly apps: Apps
  /** The engine in use now: a restore puts another in its place. */
  readonly engine: () => Pick<LocalEngine, 'agents'>
  /** Where this host answers, without path. */
  readonly url: string
}

type Inputs = { readonly [N in HostCallName]: ReturnType<(typeof HOST_CALLS)[N]['parse']> }
type Handlers = { readonly [N in HostCallName]: (input: Inputs[N]) => Promise<HostAnswers[N]> }

/** What the host answers to its own window besides operations. */
export function createHostCalls({ apps, engine, url }: HostCallsOptions): HostCalls {
  const listed = async (done?: Promise<void>): Promise<AppList> => {
    await done
    return { apps: await apps.list(), address: `${url}/mcp` }
  }
  const handlers: Handlers = {
    'host.apps': () => listed(),
    'host.app_write': ({ app, basis }) => listed(apps.write(app, basis)),
    'host.app_remove': ({ app, basis }) => listed(apps.remove(app, basis)),
    'host.app_undo': ({ app }) => listed(apps.undo(app)),
    'host.app_test': ({ app }) => listed(apps.test(app)),
    'host.app_stop': async ({ app }) => {
      apps.stop(app)
      return listed()
    },
    'host.agents': async ({ org }) => ({ agents: await engine().agents.list(org) }),
    'host.connected': async ({ org }) => ({ connected: await engine().agents.connected(org) }),
    'host.agent': async ({ org, agent, limit }) => {
      const recalled = await engine().agents.recalled(org, agent, limit + 1)
      return { recalled: recalled.slice(0, limit), more: recalled.length > limit }
    },
  }
  return {
    async run(name, input) {
      const read = HOST_CALLS[name].safeParse(input ?? {})
      if (!read.success) {
        const issue = read.error.issues[0]
        const field = issue?.path.join('.') ?? ''
        throw new LoomError('INVALID_ARGUMENT', `${field === '' ? 'The call' : field}: ${issue?.message ?? 'is not valid'}.`, { field })
      }
      const handler = handlers[name] as (given: unknown) => Promise<HostAnswers[HostCallName]>
      return { ...(await handler(read.data)) }
    },
  }
}
