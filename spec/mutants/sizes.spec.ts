import { describeMutants } from './describe-mutants.ts'
import { sizes } from './sizes.ts'

/** Small mistakes take as many keys as users spend; the others are found with a fifth of them. */
const small = [
  'race: arrivals of the tail (p < 1e-4) without the logarithm',
  'sta: green mass by count where there are more than 100 tokens',
  'kgw(2) where more than 100 tokens have no mass',
  'dip: a poor shuffle (each place takes any other), orbit averages to p',
]
const isSmall = ({ name }: { readonly name: string }): boolean => small.includes(name)

describeMutants(
  'sizes',
  sizes.filter((mutant) => !isSmall(mutant)),
  { bias: 0.05 },
)
describeMutants('sizes, small mistakes', sizes.filter(isSmall))
