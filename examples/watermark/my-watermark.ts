/**
 * A watermark to start from (STA-1 at gamma = 1/2): the key makes each token green with probability 1/2, and probability moves from
 * red to green tokens. With P_G the mass of the green tokens, q_i = p_i (1 + 1[i green] - P_G). Averaged over flipping all colours, q is p.
 */
import { binomial, defineWatermark, ngram, type Random, sumDetector } from 'uwbench'

interface Colours {
  readonly random: Pick<Random, 'uint32'>
  readonly flip: 0 | 1
}

const isGreen = (token: number, { random, flip }: Colours): number => (random.uint32(token) >>> 31) ^ flip

export const myWatermark = defineWatermark<Colours>({
  id: 'my-watermark',
  unbiased: true,
  context: ngram(2),
  draw: (random) => ({ random, flip: 0 }),
  reweight(p, code, q) {
    let green = 0
    for (let i = 0; i < p.length; i++) green += p[i]! * isGreen(i, code)
    for (let i = 0; i < p.length; i++) q[i] = p[i]! * (1 + isGreen(i, code) - Math.min(1, green))
  },
  score: isGreen,
  detector: sumDetector({ nullLaw: binomial(1 / 2), bound: 1 }),
  orbit: ({ random }) => [
    { random, flip: 0 },
    { random, flip: 1 },
  ],
})
