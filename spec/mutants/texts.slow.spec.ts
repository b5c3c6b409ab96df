import { describeMutants } from './describe-mutants.ts'
import { law, type Mutant } from './mutant.ts'
import { texts } from './texts.ts'

/** Found after some two hundred texts, and so with as many as users spend; the others show in a few. */
const isSmall = ({ name }: Mutant): boolean => name.includes('seeded by a hash')

/** Texts of sixteen tokens show most of them, and are tried first; but contexts of five tokens rarely come back there. */
const places = (mutants: readonly Mutant[]) =>
  Object.fromEntries(
    mutants
      .filter(({ name, killedBy }) => killedBy[0] === law.pairs && !name.includes('a memory of 64 positions'))
      .map(({ name }) => [name, '0']),
  )

/** What is forgotten after hundreds of tokens shows in texts of 2,000, which the quick effort does not write. */
const isLate = ({ name }: Mutant): boolean => name.includes('the generator')

const [small, late] = [texts.filter(isSmall), texts.filter(isLate)]
const others = texts.filter((mutant) => !isSmall(mutant) && !isLate(mutant))
describeMutants('long texts', others, { effort: 'quick', at: places(others) })
describeMutants('long texts, small mistakes', small, { at: places(small) })
describeMutants('texts of 2,000 tokens', late, {
  at: Object.fromEntries(late.map(({ name }) => [name, 'long/0'])),
})
