import { describeMutants } from './describe-mutants.ts'
import { sequence } from './sequence.ts'

describeMutants('sequence', sequence)
