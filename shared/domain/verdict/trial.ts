/** When graded runs decide a proposal by themselves. Pure. */

export interface ProposalPolicy {
  readonly mode: 'manual' | 'auto'
  readonly min_passes: number
  readonly max_fails: number
  readonly reject_after_fails: number
}

/** Under auto: enough fails reject; else enough passes, with few enough fails, accept. Null: the trial goes on. */
export function trialDecision(policy: ProposalPolicy, { passes, fails }: { passes: number; fails: number }): 'accept' | 'reject' | null {
  if (policy.mode !== 'auto') return null
  if (fails >= policy.reject_after_fails) return 'reject'
  return passes >= policy.min_passes && fails <= policy.max_fails ? 'accept' : null
}

/** One more grade, or one taken back, may make the policy accept. */
export function nearlyAccepted(policy: ProposalPolicy, { passes, fails }: { passes: number; fails: number }): boolean {
  return policy.mode === 'auto' && passes + 1 >= policy.min_passes && fails - 1 <= policy.max_fails
}
