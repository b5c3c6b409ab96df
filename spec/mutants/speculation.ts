/** Mistakes in speculative decoding. The base is shipped: drafts under key A, all else under key B, acceptance without a key. */
import { dualKeyGumbel } from '../../src/index.ts'
import { winner } from '../../src/watermarks/mechanisms/gumbel-max.ts'
import { changed, family, law } from './mutant.ts'

const { mutants, add } = family('speculation')

export { mutants as speculation }

const base = dualKeyGumbel()
const plain = base.speculative!
const speculating = (parts: Partial<typeof plain>) => changed(base, { speculative: { ...plain, ...parts } })

/** The most probable tokens that together reach `share`. */
function topP(d: Float64Array, share: number): Float64Array {
  const order = [...d.keys()].sort((i, j) => d[j]! - d[i]!)
  const kept = new Float64Array(d.length)
  let mass = 0
  for (const i of order) {
    if (mass >= share) break
    kept[i] = d[i]!
    mass += d[i]!
  }
  return kept
}

add(
  'top-p drafts accepted with untruncated probabilities',
  speculating({ draft: (d, { a }) => winner(topP(d, 0.85), a) }),
  [law.speculation],
)
add(
  'one key for drafts and for what replaces them',
  speculating({ recover: (p, d, { a }, own) => plain.recover(p, d, { a, b: a }, own) }),
  [law.speculation],
)
add(
  "acceptance from the mark's key: the noise of the draft decides",
  speculating({
    accept: (p, d, token, { a }) => Math.exp(-a.at(token)) * d[token]! < p[token]!,
  }),
  [law.speculation],
)
let last: Parameters<typeof plain.draft>[1] | undefined
add(
  'bonus tokens with the noise of the last draft',
  speculating({
    draft(d, code, own) {
      last = code
      return plain.draft(d, code, own)
    },
    bonus: (p) => winner(p, last!.a),
  }),
  [law.speculation],
)
add(
  'a rejected draft is replaced by a draw from the target itself',
  speculating({ recover: (p, _, { b }) => winner(p, b) }),
  [law.speculation],
)
add(
  'drafts accepted where the target holds them at least half as probable',
  speculating({ accept: (p, d, token) => p[token]! >= d[token]! / 2 }),
  [law.speculation],
)

/** Correct, though no engine does it. */
export const oddSpeculation: readonly (readonly [string, typeof base])[] = [
  [
    'drafts without a mark',
    speculating({
      draft(d, _, own) {
        let [token, left] = [0, own()]
        while (token < d.length - 1 && left >= d[token]!) left -= d[token++]!
        return token
      },
    }),
  ],
  [
    'every draft is thrown away',
    speculating({ accept: () => false, recover: (p, _, { b }) => winner(p, b) }),
  ],
]
