// Writes src/gate/laws/arbitraries/next-token-shapes.ts: what next-token distributions of the embedded model look like, sorted. The laws
// load no model; they test watermarks on these shapes. Run it again when the embedded model changes: `npm run build && node scripts/next-token-shapes.mjs`.
import { readFileSync, writeFileSync } from 'node:fs'
import { embeddedModel } from '../dist/text/models/index.js'

/** Texts read, and the quantiles of entropy at which a distribution is kept. */
const TEXTS = 40
const QUANTILES = [0.05, 0.25, 0.5, 0.75, 0.95]
/** Bits are kept in sixteenths. */
const STEPS = 16

const model = await embeddedModel()
const rows = readFileSync('fixtures/data/continuation-test.jsonl', 'utf8').trim().split('\n').slice(0, TEXTS)
const found = []
for (const row of rows) {
  const { prompt, reference } = JSON.parse(row)
  const session = await model.begin([model.tokenizer.encodePrompt(prompt)])
  for (const token of model.tokenizer.encode(reference).slice(0, 60)) {
    const top = session.logits.reduce((a, b) => Math.max(a, b))
    const p = Float64Array.from(session.logits, (logit) => Math.exp(logit - top))
    const total = p.reduce((a, b) => a + b, 0)
    const sorted = p
      .map((mass) => mass / total)
      .sort()
      .reverse()
    const entropy = -sorted.reduce((sum, mass) => sum + (mass > 0 ? mass * Math.log(mass) : 0), 0)
    found.push({ entropy, sorted })
    await session.step([token])
  }
  session.dispose()
}
await model.dispose()
found.sort((a, b) => a.entropy - b.entropy)

const ranks = [1]
for (let r = 2; r < model.vocabSize; r = Math.ceil(r * 1.4)) ranks.push(r)
ranks.push(model.vocabSize)
const shapes = QUANTILES.map((share) => found[Math.floor(share * found.length)])
const lines = shapes.map(({ entropy, sorted }) => {
  const bits = ranks.map((rank) => Math.round(-Math.log2(sorted[rank - 1]) * STEPS))
  return `  // entropy ${entropy.toFixed(2)} nats\n  [${bits.join(', ')}],`
})
writeFileSync(
  'src/gate/laws/arbitraries/next-token-shapes.ts',
  `/**
 * Next-token distributions of the embedded model, sorted: -log2 p in sixteenths of a bit at some ranks. Of ${found.length.toLocaleString('en')} positions
 * of ${TEXTS} continuations, those at the ${QUANTILES.map((q) => 100 * q).join(', ')} percent quantiles of entropy. Written by scripts/next-token-shapes.mjs.
 */

export const RANKS: readonly number[] = [${ranks.join(', ')}]
export const STEPS = ${STEPS}

export const nextTokenShapes: readonly (readonly number[])[] = [
${lines.join('\n')}
]
`,
)
