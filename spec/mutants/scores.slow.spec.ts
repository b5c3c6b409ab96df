import { describeMutants } from './describe-mutants.ts'
import { scores } from './scores.ts'

/** A text of forty tokens of three, in which most tokens follow each context. */
const at = { 'just half of the tokens green, contexts reused, taken for independent': 'text/2' }

describeMutants('scores', scores, { at })
