/** Orbits of continuous codes that average to p and are not what keys draw. */

import { OWN } from '../../src/core/keys/random.ts'
import { defineWatermark } from '../../src/core/method/define-watermark.ts'
import { ngram } from '../../src/index.ts'
import type { Watermark } from '../../src/watermark.ts'
import { complement, drawWords, half, isGreen, sta, type Words } from './bases.ts'
import { family, law } from './mutant.ts'

const { mutants, add } = family('sizes')

export { mutants as orbits }

/** sta between p and itself: a strength in (0, 1) per code. */
interface Strong extends Words {
  readonly strength: number
}
const strengths = (orbit: (code: Strong) => Strong[]): Watermark<Strong> =>
  defineWatermark<Strong>({
    id: 'continuous strength',
    unbiased: true,
    context: ngram(2),
    draw: (random) => ({ ...drawWords(random), strength: random.uniform(OWN) }),
    reweight: (p, code, q) => {
      sta().reweight(p, code, q)
      for (let i = 0; i < p.length; i++) q[i] = p[i]! + code.strength * (q[i]! - p[i]!)
    },
    score: (token, code) => (isGreen(token, code) ? 1 : 0),
    detector: half,
    orbit,
  })
const turned = (code: Strong): Strong => ({ ...complement(code), strength: code.strength })

const squared = (code: Strong): Strong => ({ ...code, strength: code.strength ** 2 })

add(
  'continuous strength: an orbit that squares it',
  strengths((code) => [code, squared(code)].flatMap((one) => [one, turned(one)])),
  [law.honest],
)
add(
  'continuous strength: an orbit of all strengths',
  strengths((code) =>
    [code, { ...code, strength: 1 - code.strength / 2 }].flatMap((one) => [one, turned(one)]),
  ),
  [law.honest],
)
