/** The control: what mutants are made of passes every law, so that a mutant is rejected for its change and nothing else. */
import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { bases } from './bases.ts'

for (const base of bases()) describeWatermark(base)
