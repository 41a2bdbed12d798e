import type { Output } from '../../../contract/declare.ts'
import { settingsGet as contract } from '../../../contract/ops/settings/get.ts'
import { defaultPlace } from '../../desktop-settings/default-place.ts'
import { settingsOf } from '../../desktop-settings/settings-of.ts'
import { defineRead } from '../../handler.ts'

export const settingsGet = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const settings = settingsOf(context)
  const place = defaultPlace(settings, context.parts.sync?.connection ?? null)
  return {
    settings: settings.view(input.keys).map((one) => {
      if (one.key !== 'default_namespace') return one
      // Where calls go in fact: connecting to a team may have named another place.
      return { ...one, value: place === null ? one.default : `${place.org}/${place.namespace}` }
    }),
  }
})
