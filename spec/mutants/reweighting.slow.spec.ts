import { describeMutants } from './describe-mutants.ts'
import { reweighting } from './reweighting.ts'

/** Tokens of 30/38, 3/38, 2/38 and three of 1/38: the mass below 5% is 0.06 too large. */
const at = { 'race: probabilities floored at 5%': 'few/3' }

describeMutants('reweighting', reweighting, { at })
