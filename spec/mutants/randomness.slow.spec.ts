import { describeMutants } from './describe-mutants.ts'
import { randomness } from './randomness.ts'

/** The distribution of six tokens that is always tried, after a few thousand keys. */
const at = { 'dip: a shuffle by a comparator that flips coins': 'few/3' }

describeMutants('randomness', randomness, { at })
