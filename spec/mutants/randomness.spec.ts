import { describeMutants } from './describe-mutants.ts'
import { randomness } from './randomness.ts'

describeMutants('randomness', randomness)
