// Writes fixtures/steps/kgw-*.json: texts of the two embedded models, at the temperatures of the benchmark, under KGW with delta 2 that leaves repeated contexts alone or
// marks them as well. Text i has the key `text i`. Two bytes per token. Needs the built package (npm run build). Another processor may round the models' numbers differently
// and draw other texts.
import { writeFileSync } from 'node:fs'
import { kgw, ngram } from '../dist/index.js'
import { embeddedDataset } from '../dist/text/datasets/embedded.js'
import { generateMany, loadModel } from '../dist/text/models/index.js'

const [TEXTS, LENGTH] = [48, 128]

const sources = [
  { name: 'embedded', data: 'continuation', temperature: 0.53 },
  { name: 'stories15m', data: 'stories', temperature: 1 },
]

for (const { name, data, temperature } of sources) {
  const model = await loadModel(name, { threads: 1 })
  const { examples } = await embeddedDataset(data)
  const texts = {}
  for (const repeated of ['skip', 'reuse']) {
    const watermark = kgw({ delta: 2, context: ngram(2, { repeated }) })
    const requests = examples
      .slice(-TEXTS)
      .map(({ prompt }, i) => ({ prompt, key: `text ${i}`, seed: `texts ${i}` }))
    const options = { watermark, temperature, maxNewTokens: LENGTH, stopTokens: [], batchSize: 48 }
    const written = await generateMany(model, requests, options)
    texts[repeated] = Buffer.from(
      written.flatMap(({ tokens }) => tokens.flatMap((id) => [id & 255, id >>> 8])),
    ).toString('base64')
  }
  await model.dispose()
  const file = { model: model.id, vocabSize: model.vocabSize, temperature, length: LENGTH, texts }
  writeFileSync(
    new URL(`../fixtures/steps/kgw-${model.id}.json`, import.meta.url),
    `${JSON.stringify(file)}\n`,
  )
  console.log(model.id, JSON.stringify(file).length, 'bytes')
}
