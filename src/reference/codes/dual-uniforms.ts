/** The two sets of uniforms of vLLM's dual-key watermark: the same draws under two keys derived from one. */
import { sumDetector } from '../../detect/sum-detector.ts'
import type { DualExponentials } from '../../watermarks/dual-key-gumbel.ts'
import { twoExponentials } from '../../watermarks/dual-key-law.ts'
import { vllmContexts } from '../context.ts'
import { keyWords, vllmSubkey } from '../philox.ts'
import { type PublishedParts, publishedCodes } from '../published.ts'
import { perKey } from '../secret.ts'
import { EXCESS, rounded, VllmExponentials, vllmKeyOf } from './uniforms.ts'

/** The dual-key Gumbel watermark of vLLM. */
export const vllmDualCodes = publishedCodes({
  codes: 'vllm',
  about:
    'the PRF `philox4x32-10-v1` of vLLM under two keys derived from one, after four generated tokens; the key is a 64-bit integer.',
  parameters: {},
  implementations: { vllm: {} },
  context: () => vllmContexts(),
  parts({ weight }: { weight: number }): PublishedParts<DualExponentials> {
    const words = perKey((key) => {
      const secret = vllmKeyOf(key)
      return (['key_a', 'key_b'] as const).map((name) => keyWords(vllmSubkey(secret, name)))
    })
    return {
      draw(_random, _vocabSize, { key, context }) {
        const [a, b] = words(key)
        return { a: new VllmExponentials(a!, context), b: new VllmExponentials(b!, context) }
      },
      // which of the two scores were rounded cannot be told from their sum
      detector: rounded(sumDetector({ nullLaw: twoExponentials(1 - weight, weight) }), (score) =>
        Math.max(0, score - EXCESS),
      ),
    }
  },
})
