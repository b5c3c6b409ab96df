// Writes fixtures/data/stories-test.jsonl: openings of stories that stories15m writes itself, without a watermark, and how it goes on.
// The seed is used by no experiment. Needs the built package (npm run build).
import { writeFileSync } from 'node:fs'
import { generate, loadModel } from '../dist/text/models/index.js'

const [COUNT, OPENING, REFERENCE] = [200, 16, 64]

const model = await loadModel('stories15m', { threads: 1 })
const options = { seed: 'stories-test', stopTokens: [], temperature: 1, batchSize: 40 }
const texts = await generate(model, [], { ...options, count: 4 * COUNT, maxNewTokens: OPENING + REFERENCE })
await model.dispose()

const seen = new Set()
const rows = []
for (const { tokens } of texts) {
  const prompt = model.tokenizer.decode(tokens.slice(0, OPENING)).trim()
  const whole = model.tokenizer.decode(tokens).trim()
  // stories begin alike: each opening counts once; a story that ended within the text is none
  if (seen.has(prompt) || tokens.some((token) => model.endTokens.includes(token)) || rows.length === COUNT)
    continue
  seen.add(prompt)
  rows.push({
    id: `stories-${rows.length}`,
    source: 'stories15m',
    prompt,
    reference: whole.slice(prompt.length).trim(),
  })
}
writeFileSync(
  new URL('../fixtures/data/stories-test.jsonl', import.meta.url),
  rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
)
console.log(`${rows.length} openings of ${texts.length} texts`)
