import { useEffect, useState } from 'react'

/**
 * What was typed, as it is to be asked for: at once while nothing is under way, so that the first letter waits for
 * nobody; else the newest, when what is under way has been answered, or after `ms`. No more than one question waits,
 * however fast the hand and however slow the answer.
 * @param isBusy a question is under way
 */
export function usePaced(value: string, isBusy: boolean, ms: number): string {
  const [taken, setTaken] = useState(value)
  if (!isBusy && taken !== value) setTaken(value)
  useEffect(() => {
    if (taken === value) return
    const timer = setTimeout(() => setTaken(value), ms)
    return () => clearTimeout(timer)
  }, [value, taken, ms])
  return taken
}
