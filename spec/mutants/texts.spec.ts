import { describeMutants } from './describe-mutants.ts'
import { law } from './mutant.ts'
import { texts } from './texts.ts'

/** Found after some two hundred texts, and so with as many as users spend; the others show in a few. */
const isSmall = ({ name }: { readonly name: string }): boolean => name.includes('seeded by a hash')

/** Texts of sixteen tokens show these mistakes, and are tried first; but contexts of five tokens rarely come back in them. */
const at = Object.fromEntries(
  texts
    .filter(({ name, killedBy }) => killedBy[0] === law.pairs && !name.includes('a memory of 64 positions'))
    .map(({ name }) => [name, '0']),
)
const among = (mutants: typeof texts) => ({
  at: Object.fromEntries(mutants.flatMap(({ name }) => (name in at ? [[name, at[name]!]] : []))),
})

const [small, plain] = [texts.filter(isSmall), texts.filter((mutant) => !isSmall(mutant))]
describeMutants('long texts', plain, { effort: 'quick', ...among(plain) })
describeMutants('long texts, small mistakes', small, among(small))
