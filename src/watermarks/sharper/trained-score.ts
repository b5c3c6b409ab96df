/**
 * The Bayesian detector of SynthID as a score: the likelihood ratio that training has learned (bit-training.ts). Its null law is exact whatever was learned, so a poor training costs power and not the
 * guarantee. The published detector also lets the rate of a layer depend on earlier bits of the same token; that gains no token (reports/trained-synthid.md), and would limit an exact law to few layers.
 */

import { lawFor, sumDetector, weightedBits } from '../../core/detect/index.ts'
import { defineWatermark } from '../../core/method/index.ts'
import { outOfRange } from '../../input.ts'
import { type Detector, requireWatermark, type Watermark, wordScore } from '../../watermark.ts'
import { type Bits, bitScore } from '../mechanisms/bits.ts'
import { type BitTraining, mostOf, requireTraining, weightsOf } from './bit-training.ts'

/** The layers of a SynthID watermark, and the rate of ones in unmarked text. */
export function bitsOf(watermark: Watermark<Bits>): { layers: number; rate: number; detector: Detector } {
  requireWatermark(watermark)
  const { detector, domain } = watermark
  const law = detector?.nullLaw && lawFor(detector.nullLaw, 1)
  if (detector?.id !== 'sum' || !domain.startsWith('synthid') || !law?.name.startsWith('binomial('))
    throw outOfRange('watermark', "one of synthid, with detector: 'mean'", watermark.id)
  return { layers: detector.bound, rate: law.mean / detector.bound, detector }
}

/**
 * The same SynthID watermark, with the likelihood ratio that `trainBits` learned as its score. P-values are exact whatever was learned; `posterior` turns a detection into a probability. It reads
 * the same texts.
 * @example withTrainedScore(synthid(), embeddedTrainings['uwbench-lm']).id // 'synthid(layers=20), trained on uwbench-lm'
 */
export function withTrainedScore(watermark: Watermark<Bits>, training: BitTraining): Watermark<Bits> {
  const { layers, rate, detector } = bitsOf(watermark)
  requireTraining(training)
  if (training.rates.length !== layers)
    throw outOfRange(
      'training.rates',
      `${layers} rates, one per layer of ${watermark.id}`,
      training.rates.length,
    )
  const weights = weightsOf(training)
  if (mostOf(training) === 0)
    throw outOfRange('training.rates', 'a rate above 1/2 in some layer', training.rates)
  const scoring = bitScore(layers, weights)
  return defineWatermark<Bits>({
    ...watermark,
    id: `${watermark.id}, trained on ${training.name}`,
    ...scoring,
    // published codes are not drawn from the words that the fast path reads
    fast: wordScore(watermark) && scoring.fast,
    detector: sumDetector({
      nullLaw: weightedBits(weights, { rate }),
      bound: mostOf(training),
      ...(detector.keyless && { keyless: detector.keyless }),
    }),
  })
}
