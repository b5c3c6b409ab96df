import { describeMutants } from './describe-mutants.ts'
import { robustness } from './robustness.ts'

describeMutants('robustness', robustness)
