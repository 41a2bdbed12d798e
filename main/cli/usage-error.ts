/** A command that was typed wrong: said on stderr, exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
