import { describeMutants } from './describe-mutants.ts'
import { smallBiases } from './small-biases.ts'

/** Distributions by their place in the lists of "unbiased over keys". */
const at = {
  'race: logit and noise added in float16': 'nets/4',
  "race: a speculative residual drawn with the draft's noise": 'nets/4',
  'race: the most probable token where it exceeds 0.98': 'sizes/14',
  'race: a nucleus of 0.99 inside, up to 100 tokens': 'few/5',
  'race: a temperature of 0.98 inside': 'nets/0',
  'race: the most probable token where it exceeds 0.995': 'nets/5',
  'kgw(0.4) by a hash of the key itself': 'nets/0',
  'inverse: u from six bits, no orbit': 'nets/5',
}

describeMutants('small biases', smallBiases, { at })
