import {
  binomial,
  defineWatermark,
  detect,
  gumbel,
  type WindowDetectorOptions,
  windowDetector,
} from '../../src/index.ts'

/** What the search for stretches says of bits, each under a context of its own. */
export const ofBits = (bits: readonly number[], given: Partial<WindowDetectorOptions> = {}, rate = 1 / 2) =>
  detect(
    defineWatermark({
      ...gumbel(),
      id: 'bits',
      score: (token: number) => bits[token - 2]!,
      detector: windowDetector({ nullLaw: binomial(rate), bound: 1, ...given }),
      markedScore: undefined,
    }),
    [...bits.keys(), bits.length, bits.length + 1],
    { key: 'a secret of sixteen bytes', vocabSize: bits.length + 2 },
  )
