/**
 * What a claim is to a peer. `same`: one text, canonically. `restates`: the same fact in other words. `refines`: the
 * same fact with more said. `contradicts`: same subject and attribute, values that cannot both hold. `clear`: nothing
 * stands between them.
 */
export type Finding = 'same' | 'restates' | 'refines' | 'contradicts' | 'clear'

/** What a rule found: the finding it calls for, and why, as one sentence a person understands. */
export interface Evidence {
  readonly rule: string
  readonly finding: Exclude<Finding, 'same'>
  readonly reason: string
}
