import { describeMutants } from './describe-mutants.ts'
import { sizes } from './sizes.ts'

/** Distributions, by their place in the list of `rulesFor`, after few keys each; all cases of the law take ten seconds. */
const at = {
  'race: among the 50 most probable tokens': 'sizes/1',
  'race: among the 1,000 most probable tokens': 'sizes/2',
  'race: tokens with p < 1e-3 dropped': 'sizes/1',
  'race: a nucleus of 0.9 where there are more than 256 tokens': 'sizes/1',
  'race: probabilities cut to 16 bits': 'sizes/2',
  'race: arrivals of the tail (p < 1e-4) without the logarithm': 'sizes/2',
  'race: randomness by token & 255': 'sizes/2',
  'race: a table of 4,096 random numbers': 'sizes/2',
  'race: token numbers of 15 bits': 'sizes/8',
  'race: token numbers hashed modulo 32,749': 'sizes/8',
  'race: uniforms of 11 bits': 'sizes/2',
  'race: uniforms of 14 bits': 'sizes/2',
  'dip: only the first 128 places are shuffled': 'sizes/1',
  'line: the place has 8 bits': 'sizes/2',
  'race: ids beyond 32,767 are negative, and out': 'sizes/2',
  'race: 32 lanes leave out the last ids': 'sizes/3',
  'race: pairs of tokens, odd sizes above 100 lose half a pair': 'sizes/1',
  'race: a fast path for powers of two above 1,000 takes the square of p': 'sizes/7',
  'line: running mass in half precision': 'sizes/2',
  'line: running mass in bfloat16': 'sizes/2',
  'dip: shuffled by remainders of 12 bits, orbit averages to p': 'sizes/2',
  'race: bit 8 of the id costs 20%': 'sizes/6',
  'race: every seventh id is twice as fast where there are more than 100': 'sizes/5',
  'dip: a poor shuffle (each place takes any other), orbit averages to p': 'sizes/0',
}

describeMutants('sizes', sizes, { at })
