import { describeCrossings } from './crossings.ts'

describeCrossings(
  'an erasure on PGlite',
  () => ({}),
  async () => undefined,
)
