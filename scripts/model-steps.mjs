// Writes fixtures/steps/*.json: next-token distributions along texts of the two embedded models, at the temperatures of the benchmark. A text is
// drawn from the 64 most likely tokens of each position; every eighth position is recorded. One byte per probability, round(-16 log2 p), and two
// per token id. Needs the built package (npm run build). Another processor may round the models' numbers differently and draw other texts.
import { mkdirSync, writeFileSync } from 'node:fs'
import { embeddedDataset } from '../dist/text/datasets/embedded.js'
import { generate, loadModel, promptTokens, warper } from '../dist/text/models/index.js'

const [TEXTS, LENGTH, EVERY, TOP] = [24, 64, 8, 64]

const sources = [
  { name: 'embedded', data: 'continuation', temperature: 0.53 },
  { name: 'stories15m', data: 'stories', temperature: 1 },
]

/** The distributions of a text's recorded positions, each as pairs of id and probability, the likeliest first. */
async function stepsOf(model, prompt, tokens, temperature, kept) {
  const whole = warper({ temperature })
  const p = new Float64Array(model.vocabSize)
  const session = await model.begin([prompt])
  const steps = []
  for (const [t, token] of tokens.entries()) {
    if (t % EVERY === EVERY / 2) {
      whole(session.logits, 0, p)
      const best = [...p.keys()].sort((a, b) => p[b] - p[a]).slice(0, TOP)
      const mass = best.reduce((sum, id) => sum + p[id], 0)
      kept.push(mass)
      steps.push(
        best.map((id) => [id, p[id] / mass]).filter(([, share]) => Math.round(-16 * Math.log2(share)) < 256),
      )
    }
    await session.step([token])
  }
  session.dispose()
  return steps
}

mkdirSync(new URL('../fixtures/steps', import.meta.url), { recursive: true })
for (const { name, data, temperature } of sources) {
  const model = await loadModel(name, { threads: 1 })
  const { examples } = await embeddedDataset(data)
  const steps = []
  const kept = []
  // from the end: no experiment uses those prompts
  for (const [i, { prompt }] of examples.slice(-TEXTS).entries()) {
    const options = { seed: 'steps', first: i, temperature, topK: TOP, maxNewTokens: LENGTH, stopTokens: [] }
    const [{ tokens }] = await generate(model, prompt, options)
    steps.push(...(await stepsOf(model, promptTokens(model, prompt), tokens, temperature, kept)))
  }
  await model.dispose()
  const bytes = (values) => Buffer.from(values).toString('base64')
  const file = {
    model: model.id,
    temperature,
    top: TOP,
    kept: Number((kept.reduce((sum, mass) => sum + mass, 0) / kept.length).toFixed(4)),
    sizes: steps.map((step) => step.length),
    probabilities: bytes(
      steps.flatMap((step) => step.map(([, share]) => Math.round(-16 * Math.log2(share)))),
    ),
    ids: bytes(steps.flatMap((step) => step.flatMap(([id]) => [id & 255, id >>> 8]))),
  }
  writeFileSync(new URL(`../fixtures/steps/${model.id}.json`, import.meta.url), `${JSON.stringify(file)}\n`)
  console.log(
    model.id,
    steps.length,
    'positions,',
    JSON.stringify(file).length,
    'bytes; mass kept',
    file.kept,
  )
}
