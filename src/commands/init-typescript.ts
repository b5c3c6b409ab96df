/** `uwbench init`: a watermark in TypeScript, its test, a workflow and the settings of the project. */
import type { Kind } from './init.ts'

const watermark = `/**
 * A watermark to start from (STA-1 at gamma = 1/2): every token is green with probability 1/2 under the key; probability moves from red to
 * green tokens. With P_G the mass of the green ones, q_i = p_i (1 + 1[i green] - P_G), and averaged over the flip of all colours q is p.
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
`

const spec = `import { describeWatermark } from 'uwbench/vitest'
import { myWatermark } from './my-watermark.ts'

describeWatermark(myWatermark)
`

const config = `import { defineConfig } from 'uwbench/config'

export default defineConfig({
  watermark: './my-watermark.ts',
  // keyFile: './key', // keep it out of version control
})
`

const workflow = `name: watermark
on: [push, pull_request]
jobs:
  gate:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - run: npm install
      - run: npx vitest run
`

export const typescript: Kind = {
  help: 'TypeScript (the default): declaration, vitest spec, workflow, uwbench.config.ts',
  files: () => [
    ['my-watermark.ts', watermark],
    ['my-watermark.spec.ts', spec],
    ['uwbench.config.ts', config],
    ['.github/workflows/watermark.yml', workflow],
  ],
  next: (folder) =>
    `next:${folder === '.' ? '' : ` cd ${folder}, then`}
  npm install --save-dev uwbench vitest fast-check
  npx vitest run                           the laws, as tests
  npx uwbench check ./my-watermark.ts      the same without a test runner`,
}
