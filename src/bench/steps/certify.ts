/** Certified radius of texts, beside the number of random replacements that really undid the detection. */
import { detect } from '../../core/detect/index.ts'
import { seededRandom, shuffled } from '../../core/keys/index.ts'
import { certifiedDecisionRadius } from '../../theory/index.ts'
import { defineStep } from '../cells/step.ts'
import { keyOf, type TestedTexts, type Texts } from './generate.ts'
import type { Resources } from './resources.ts'

export interface CertifyInputs extends TestedTexts {
  readonly limit: number
  readonly alpha: number
  readonly seed: number
  /** Replacements are tried in steps of this many tokens. */
  readonly step: number
}

export interface Certified {
  /** Edits that cannot undo the detection, -1 for a text that is not detected; null where there is no certificate. */
  readonly certified: readonly (number | null)[]
  /** Random replacements after which the text was first not detected; null where it survived all. */
  readonly attacked: readonly (number | null)[]
  /** The reason for which there is no certificate. */
  readonly reason: string | null
}

export const certifyStep = defineStep<CertifyInputs, [Pick<Texts, 'texts'>], Certified, Resources>({
  module: import.meta.url,
  cost: ({ limit }) => 20 * limit,
  async run(inputs, [{ texts }], resources) {
    const { vocabSize, endTokens } = await resources.model(inputs.model)
    const watermark = await resources.watermark(inputs.watermark)
    const certified: (number | null)[] = []
    const attacked: (number | null)[] = []
    let reason: string | null = null
    for (const [i, tokens] of texts.slice(0, inputs.limit).entries()) {
      const options = {
        key: keyOf(inputs.keys, inputs.from + i),
        vocabSize,
        skip: endTokens,
        alpha: inputs.alpha,
      }
      const certificate = certifiedDecisionRadius(watermark, tokens, options)
      certified.push(certificate.applicable ? certificate.radius : null)
      if (!certificate.applicable) reason = certificate.reason
      // one random order of positions and replacements per text: k replacements are the first k of it
      const random = seededRandom(inputs.seed, 'certify', inputs.from + i)
      const places = shuffled(
        tokens.map((_, at) => at),
        random,
      )
      const broken = [...tokens]
      let edits: number | null = null
      for (let k = 0; k <= tokens.length && edits === null; k += inputs.step) {
        if (!detect(watermark, broken, options).detected) edits = k
        for (const at of places.slice(k, k + inputs.step)) broken[at] = random.below(vocabSize)
      }
      attacked.push(edits)
    }
    return { certified, attacked, reason }
  },
})
