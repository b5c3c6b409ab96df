import { describeMutants } from './describe-mutants.ts'
import { pValues } from './p-values.ts'

describeMutants('p-values', pValues)
