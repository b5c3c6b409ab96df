import { describeMutants } from './describe-mutants.ts'
import { texts } from './texts.ts'

describeMutants('long texts', texts)
