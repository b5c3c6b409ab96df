/** A watermark of a user's own in two files of TypeScript, as `uwbench playground` is given it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const OWN = `
import { binomial, defineMethod, ngram, parameter, sumDetector } from 'uwbench'
import { isGreen } from './green.ts'

export const secondChance = defineMethod('secondChance', {
  parameters: { strength: parameter.number(0, 1, { default: 1 }), context: parameter.context(() => ngram(2)) },
  make: ({ strength }: { strength: number }) => ({
    unbiased: true,
    draw: (random) => random,
    reweight(p, random, q) {
      const green = p.reduce((sum, mass, i) => sum + mass * isGreen(i, random), 0)
      for (let i = 0; i < p.length; i++) q[i] = p[i]! * (1 + strength * (isGreen(i, random) - green))
    },
    score: isGreen,
    detector: sumDetector({ nullLaw: binomial(1 / 2), bound: 1 }),
  }),
})
`
const GREEN = `export const isGreen = (token: number, random: { uint32(i: number): number }): number => random.uint32(token) >>> 31\n`

/** Writes it into a folder as mine.ts. */
export function writeOwnWatermark(folder: string): void {
  writeFileSync(join(folder, 'mine.ts'), OWN)
  writeFileSync(join(folder, 'green.ts'), GREEN)
}
