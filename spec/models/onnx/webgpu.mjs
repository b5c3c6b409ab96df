// Prints the logits of a model folder on a device, step by step, with rows dropped and repeated: node webgpu.mjs FOLDER DEVICE
import { register } from 'node:module'

register(new URL('../../../scripts/typescript-hook.mjs', import.meta.url))
const { loadModel } = await import('../../../src/text/models/load.ts')
const [folder, device] = process.argv.slice(2)
const model = await loadModel(folder, { device })
const session = await model.begin([
  [6, 7, 8],
  [9, 10, 11],
  [12, 13, 6],
])
const steps = [Array.from(session.logits)]
const step = async (tokens) => {
  await session.step(tokens)
  steps.push(Array.from(session.logits))
}
await step([7, 8, 9])
session.select([2, 0])
session.select([1, 1, 0])
await step([5, 6, 7])
await step([9, 9, 8])
session.dispose()
const [scores] = await model.logLikelihood([{ prompt: [6, 7], tokens: [8, 9, 10] }])
await model.dispose()
process.stdout.write(JSON.stringify([...steps, Array.from(scores)]))
