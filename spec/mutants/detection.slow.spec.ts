import { describeMutants } from './describe-mutants.ts'
import { detection } from './detection.ts'

describeMutants('detection', detection)
