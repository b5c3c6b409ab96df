/** Next-token distributions along texts of the embedded models, as scripts/model-steps.mjs recorded them. */
import { readFileSync } from 'node:fs'

export interface RecordedSteps {
  readonly model: string
  readonly temperature: number
  /** How many of the most likely tokens were kept, and the mean of their mass. */
  readonly top: number
  readonly kept: number
  /** One distribution per position, over the tokens that occur anywhere in the file. */
  readonly distributions: readonly Float64Array[]
  /** The same by rank, the likeliest first: `top` masses. */
  readonly ranked: readonly Float64Array[]
}

/** The distributions of a model: 'uwbench-lm' or 'stories15m'. */
export function recordedSteps(name: string): RecordedSteps {
  const file = JSON.parse(readFileSync(new URL(`../../fixtures/steps/${name}.json`, import.meta.url), 'utf8'))
  const [levels, ids] = [Buffer.from(file.probabilities, 'base64'), Buffer.from(file.ids, 'base64')]
  const numbers = new Map<number, number>()
  let at = 0
  const steps = (file.sizes as number[]).map((size) => {
    const weights = Array.from({ length: size }, (_, i) => 2 ** (-levels[at + i]! / 16))
    const total = weights.reduce((sum, weight) => sum + weight, 0)
    const tokens = weights.map((_, i) => {
      const id = ids.readUInt16LE(2 * (at + i))
      if (!numbers.has(id)) numbers.set(id, numbers.size)
      return numbers.get(id)!
    })
    at += size
    return { tokens, masses: weights.map((weight) => weight / total) }
  })
  const spread = (vocabSize: number, place: (step: (typeof steps)[number], i: number) => number) =>
    steps.map((step) => {
      const p = new Float64Array(vocabSize)
      for (const [i, mass] of step.masses.entries()) p[place(step, i)] = mass
      return p
    })
  const { model, temperature, top, kept } = file
  return {
    model,
    temperature,
    top,
    kept,
    distributions: spread(numbers.size, ({ tokens }, i) => tokens[i]!),
    ranked: spread(top, (_, i) => i),
  }
}
