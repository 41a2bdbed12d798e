import type { OpContract } from './declare.ts'

/** Where an engine runs, as far as it decides which operations it answers. */
export interface HostKind {
  readonly host: 'desktop' | 'server'
  readonly mode: 'single' | 'multi'
}

/** Whether a host answers an operation by itself. */
export function answersOn(contract: Pick<OpContract, 'host' | 'onMultiDesktop'>, { host, mode }: HostKind): boolean {
  return contract.host === 'engine' || contract.host === host || (contract.onMultiDesktop === true && mode === 'multi')
}
