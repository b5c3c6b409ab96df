import { describeMutants } from './describe-mutants.ts'
import { sequence } from './sequence.ts'

// whole texts show these mistakes soon
describeMutants('sequence', sequence, { effort: 'quick' })
