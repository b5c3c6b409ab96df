import { describeMutants } from './describe-mutants.ts'
import { speculation } from './speculation.ts'

describeMutants('speculation', speculation)
