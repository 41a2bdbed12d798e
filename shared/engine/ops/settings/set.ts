import type { Output } from '../../../contract/declare.ts'
import { settingsSet as contract } from '../../../contract/ops/settings/set.ts'
import { INSTALL_ORG } from '../../caller.ts'
import { requireKnownOrg } from '../../desktop-settings/default-place.ts'
import { settingsOf } from '../../desktop-settings/settings-of.ts'
import { defineWrite } from '../../handler.ts'
import { writeAudit } from '../../store/audit.ts'

export const settingsSet = defineWrite(contract, {
  // Two calls at once: each sees what the other stored.
  exclusive: () => 'settings',
  async run(input, context): Promise<Output<typeof contract>> {
    const { tx, actor, caller, now, parts } = context
    const settings = settingsOf(context)
    const changed = settings.check(input.values)
    requireKnownOrg(input.values['default_namespace'], parts.sync?.connection ?? null)
    if (changed.length > 0)
      await writeAudit(
        tx,
        changed.map((key) => ({
          op: contract.name,
          at: now,
          org: INSTALL_ORG,
          actor,
          requestId: caller.requestId,
          subject: `setting:-/-/-/${key}`,
          namespace: '',
        })),
      )
    // Last: a file that cannot be written takes the audit rows back with it.
    await settings.set(input.values)
    context.afterCommit(() => settings.tell(changed))
    return { changed, restart_needed: settings.restartNeeded }
  },
})
