/** The first position of every text, under the published context rule of SynthID. */

import { totalVariation } from '../../../src/core/stats/entry.ts'
import { synthid } from '../../../src/watermarks/entry.ts'
import { synthidContexts } from '../../../src/watermarks/published/index.ts'
import { vectors } from '../vectors.ts'

const { keys } = vectors.synthid_hf
const key = new TextEncoder().encode(keys.join())

/** How many different first contexts `prompts` prompts have. */
export function firstContexts(prompts: number): number {
  const seen = new Set<string>()
  for (let prompt = 0; prompt < prompts; prompt++) {
    const context = synthidContexts()
      .begin(undefined as never)
      .next([prompt, prompt + 1, prompt + 2, prompt + 3])
    seen.add(context!.join())
  }
  return seen.size
}

/** Total variation between the law of the first token over texts and the model's, `tokens` of them equally likely. */
export function firstTokenBias(tokens: number): number {
  const watermark = synthid({ layers: keys.length, codes: 'reference' })
  const context = synthidContexts()
    .begin(undefined as never)
    .next([])!
  const site = { shared: undefined as never, context, key }
  const p = new Float64Array(tokens).fill(1 / tokens)
  const q = new Float64Array(tokens)
  watermark.reweight(p, watermark.draw(undefined as never, tokens, site), q)
  return totalVariation(q, p)
}
