import { describeMutants } from './describe-mutants.ts'
import { shapes } from './shapes.ts'

/** Distributions by their place in the lists of "unbiased over keys": few tokens, and `rulesFor`. */
const at = {
  'sta: green mass by count where there are more than 100 tokens': 'sizes/1',
  'kgw(2) where entropy exceeds 2.2 nats': 'sizes/4',
  'kgw(2) where one of more than 100 tokens has half': 'sizes/1',
  'kgw(2) where more than 100 tokens have no mass': 'sizes/4',
  'kgw(2) where a token has more than 0.9': 'few/4',
  'kgw(2) where one of more than 100 tokens has more than 0.9': 'sizes/11',
  'kgw(2) where fewer than 100 of more than 1,000 tokens have mass': 'sizes/12',
  'kgw(2) where there are 9 to 15 tokens': 'sizes/9',
  'kgw(2) where there are 17 to 63 tokens': 'sizes/10',
  'kgw(2) where there are 1,001 to 9,999 tokens': 'sizes/12',
  'kgw(4) where there are more than 10,000 tokens': 'sizes/13',
}

describeMutants('shapes', shapes, { at })
