import { describeMutants } from './describe-mutants.ts'
import { sizes } from './sizes.ts'

describeMutants('sizes', sizes)
