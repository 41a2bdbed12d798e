import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient } from '../../data/client.tsx'
import { refreshSync } from '../../data/sync.ts'
import { refreshItems } from '../../data/items.ts'
import { refreshMemory } from '../../data/queries.ts'
import { useUndo } from '../../state/undo.tsx'
import { faultFrom } from './connect-fault.ts'
import { connectInput, faultOf, NO_FIELDS, type ConnectFields, type Fault } from './connect-input.ts'
import { CONNECT } from './strings.ts'

/** The form that connects a team: what is in it, what is wrong with it, and whether it is on its way. */
export function useConnect() {
  const client = useClient()
  const cache = useQueryClient()
  const { say } = useUndo()
  const [fields, setFields] = useState<ConnectFields>(NO_FIELDS)
  const [fault, setFault] = useState<Fault | null>(null)
  const [busy, setBusy] = useState(false)

  const change = (part: Partial<ConnectFields>): void => {
    setFault(null)
    // Leave to send in the clear is given for one address.
    const other = 'link' in part || 'server' in part || 'byHand' in part
    setFields((before) => ({ ...before, ...(other && { allowHttp: false }), ...part }))
  }
  const submit = async (): Promise<Fault | null> => {
    if (busy) return null
    const found = faultOf(fields)
    setFault(found)
    if (found) return found
    setBusy(true)
    try {
      const { org, subject } = await client.sync.connect(connectInput(fields))
      say({ said: CONNECT.done(subject, org) })
      await refreshSync(cache)
      refreshItems(cache)
      refreshMemory(cache, null)
      return null
    } catch (error) {
      const refused = faultFrom(error, fields.byHand)
      setFault(refused)
      // It may be connected by now, by another window or the command line.
      await refreshSync(cache)
      return refused
    } finally {
      setBusy(false)
    }
  }
  return { fields, fault, busy, change, submit }
}
