import { claims } from './claims.ts'
import { describeMutants } from './describe-mutants.ts'

describeMutants('claims', claims, { effort: 'quick' })
