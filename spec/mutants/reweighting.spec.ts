import { describeMutants } from './describe-mutants.ts'
import { reweighting } from './reweighting.ts'

describeMutants('reweighting', reweighting)
