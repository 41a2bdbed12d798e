import { NO_MODELS } from '../../helpers/engine.ts'
import { describeMeanwhile } from './meanwhile.ts'

describeMeanwhile('beside an erasure on PGlite', () => ({ models: NO_MODELS }))
