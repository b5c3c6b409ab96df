import { describeMutants } from './describe-mutants.ts'
import { orbits } from './orbits.ts'

describeMutants('orbits', orbits)
