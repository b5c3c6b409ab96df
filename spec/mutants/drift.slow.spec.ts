import { describeMutants } from './describe-mutants.ts'
import { drift } from './drift.ts'

describeMutants('drift', drift)
