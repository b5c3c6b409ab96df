import { describeMutants } from './describe-mutants.ts'
import { texts } from './texts.ts'

/** Found after dozens of texts, and so with as many as users spend; the others show in one to ten. */
const small = ['hashed to', 'every tenth position', 'forty codes']
const isSmall = ({ name }: { readonly name: string }): boolean => small.some((part) => name.includes(part))

describeMutants(
  'long texts',
  texts.filter((mutant) => !isSmall(mutant)),
  { effort: 'quick' },
)
describeMutants('long texts, small mistakes', texts.filter(isSmall))
