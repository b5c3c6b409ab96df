import { describeMutants } from './describe-mutants.ts'
import { positions } from './positions.ts'

describeMutants('positions', positions)
