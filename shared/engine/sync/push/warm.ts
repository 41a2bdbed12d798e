import { JsonValue } from '../../../contract/common.ts'
import { contentOf } from '../../write/content.ts'
import { isEmbedded, vectorsOf } from '../../write/embed.ts'
import type { PushCall, RawChange } from './call.ts'
import { effectOf } from './effect.ts'

/**
 * Has the value of a change embedded while the one before it is settled, so that model and store work at once: its
 * vector is remembered by the text, and found when its turn comes. Never rejects.
 */
export async function warm(raw: RawChange | undefined, { context }: PushCall): Promise<void> {
  const args = raw?.['args'] as Readonly<Record<string, unknown>> | null | undefined
  const key = args?.['memory_key']
  if (!args || typeof key !== 'string' || effectOf(String(raw?.['op']), args) !== 'value') return
  const value = JsonValue.safeParse(args['value'])
  if (!value.success) return
  const content = contentOf(key, value.data, 0)
  const [type, level] = [args['memory_type'], args['sensitivity']]
  if (isEmbedded(typeof type === 'string' ? type : 'semantic', typeof level === 'string' && level !== '' ? level : content.detected))
    await vectorsOf([content.indexed], { ...context, degraded: new Set() })
}
