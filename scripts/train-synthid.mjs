// Writes src/watermarks/sharper/embedded-trainings.ts: the rates of SynthID's bits in marked texts of the two embedded models, at the temperatures of the benchmark, and a calibration on texts of
// other prompts. Every text has a key of its own; held-out texts draw their prompt at random and are cut to 8 to 64 tokens. Needs the built package (npm run build). Another processor may
// round the models' numbers differently and write other texts.
import { writeFileSync } from 'node:fs'
import { seededRandom } from '../dist/core/keys/index.js'
import { detect, synthid } from '../dist/index.js'
import { embeddedDataset } from '../dist/text/datasets/embedded.js'
import { generateMany, loadModel } from '../dist/text/models/index.js'
import { calibrate, trainBits, withTrainedScore } from '../dist/theory/index.js'

/** Prompts to learn from and texts of each, held-out texts of either kind, and their lengths. */
const [TRAINED, EACH, HELD_OUT, SHORTEST, LONGEST] = [96, 4, 1000, 8, 64]

const sources = [
  { name: 'embedded', data: 'continuation', temperature: 0.53 },
  { name: 'stories15m', data: 'stories', temperature: 1 },
]

const digits = (rate) => Number(rate.toFixed(4))
const keyOf = (kind, i) => `training of synthid, ${kind}, ${i}`

async function train({ name, data, temperature }) {
  const model = await loadModel(name, { threads: 1 })
  const { examples } = await embeddedDataset(data)
  const { vocabSize } = model
  const write = (prompts, kind, watermark) =>
    generateMany(
      model,
      prompts.map((prompt, i) => ({ prompt, key: keyOf(kind, i), seed: kind, index: i })),
      { temperature, maxNewTokens: LONGEST, stopTokens: [], ...(watermark && { watermark }) },
    )
  const shown = await write(
    Array.from({ length: TRAINED * EACH }, (_, i) => examples[i % TRAINED].prompt),
    'shown',
    synthid(),
  )
  const texts = shown.map(({ tokens }, i) => ({ tokens, key: keyOf('shown', i) }))
  const learned = trainBits(synthid(), texts, { vocabSize, name: model.id })
  const training = { ...learned, rates: learned.rates.map(digits) }
  const held = examples.slice(TRAINED)
  const trained = withTrainedScore(synthid(), training)
  const detections = []
  for (const kind of ['marked', 'unmarked']) {
    const random = seededRandom('held out', kind)
    const prompts = Array.from({ length: HELD_OUT }, () => held[random.below(held.length)].prompt)
    const written = await write(prompts, kind, kind === 'marked' ? synthid() : undefined)
    detections.push(
      written.map(({ tokens }, i) =>
        detect(trained, tokens.slice(0, SHORTEST + random.below(LONGEST - SHORTEST + 1)), {
          key: keyOf(kind, i),
          vocabSize,
        }),
      ),
    )
  }
  await model.dispose()
  return { ...training, calibration: calibrate(training, ...detections) }
}

const trainings = []
for (const source of sources) {
  trainings.push(await train(source))
  console.log(JSON.stringify(trainings.at(-1)))
}
const entries = trainings.map((training) => `'${training.name}': ${JSON.stringify(training)},`)
writeFileSync(
  new URL('../src/watermarks/sharper/embedded-trainings.ts', import.meta.url),
  `/** What was learned from marked texts of the embedded models: written by scripts/train-synthid.mjs. */
import type { BitTraining } from './bit-training.ts'

/**
 * Trainings of the Bayesian detector of \`synthid()\` on the embedded models, at the temperatures of the benchmark, each calibrated on ${HELD_OUT.toLocaleString('en')} marked and ${HELD_OUT.toLocaleString('en')} unmarked texts of ${SHORTEST} to ${LONGEST}
 * tokens from other prompts.
 * @example embeddedTrainings['uwbench-lm'].rates.length // 20
 */
export const embeddedTrainings = {
${entries.join('\n')}
} satisfies Readonly<Record<string, BitTraining>>
`,
)
