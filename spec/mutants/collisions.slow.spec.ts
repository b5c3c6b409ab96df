import { collisions } from './collisions.ts'
import { describeMutants } from './describe-mutants.ts'

describeMutants('collisions', collisions)
