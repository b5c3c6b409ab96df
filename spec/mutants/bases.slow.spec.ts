/**
 * The control: what mutants are made of passes every law, so that a mutant is rejected for its change and nothing else. With little
 * effort here; at default settings, and often, in `npm run mutants`.
 */
import { describeWatermark } from '../../src/gate/vitest/describe-watermark.ts'
import { bases } from './bases.ts'

for (const base of bases()) describeWatermark(base, { effort: 'quick' })
