/**
 * A text that is certified against b edits is detected after any b edits. Tested against an adversary that knows the key and
 * searches edit by edit: random edits would hardly ever come near a worst case.
 */

import { beamAttack, certifiedDecisionRadius } from '../theory/index.ts'
import type { Watermark } from '../watermark.ts'
import { keySeed } from './arbitraries/index.ts'
import { secretKey } from './codes.ts'
import { fc } from './fast-check.ts'
import { forAll, Violation } from './for-all.ts'
import { generated } from './generated.ts'
import { type LawResult, notApplicable, type Trial } from './law.ts'
import { resultOf } from './result.ts'

const NAME = 'the certificate holds'
const VOCAB = 16
const ALPHA = 0.05
/** Long enough for a certificate, short enough for a search. */
const LENGTHS = [30, 60] as const
/** Tried only where none of those texts is certified: so that it is not luck whether the law applies. */
const LONGER = 120
const LONGER_TEXTS = 8
/** Beyond so many edits the search takes too long. */
const MOST = 6

async function certificateHolds<Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult> {
  if (watermark.detector === undefined) return notApplicable(NAME, 'declares no detector')
  let certified = 0
  let reason = ''
  const attack = async (length: number, keys: number): Promise<void> => {
    if (reason !== '' || (length === LONGER && certified > 0)) return
    const key = secretKey(keys, length)
    const tokens = generated(watermark, VOCAB, length, key)
    const options = { key, vocabSize: VOCAB, alpha: ALPHA }
    const certificate = certifiedDecisionRadius(watermark, tokens, options)
    if (!certificate.applicable) reason = certificate.reason
    if (!certificate.applicable || certificate.radius < 1) return
    certified++
    const most = Math.min(MOST, certificate.radius)
    const { edits, logPValue } = beamAttack(watermark, tokens, { ...options, most, width: 1, seed: keys })
    if (edits !== undefined)
      throw new Violation(
        `certified against ${certificate.radius} edits, yet ${edits} bring the p-value to ${Math.exp(logPValue).toPrecision(3)}`,
      )
    await trial.breathe()
  }
  const arbitrary = fc.record({ length: fc.constantFrom(...LENGTHS, LONGER), keys: keySeed() })
  const texts = (length: number, count: number) =>
    Array.from({ length: count }, (_, i) => ({ length, keys: trial.seed + i }))
  const examples = [...LENGTHS.flatMap((length) => texts(length, 2)), ...texts(LONGER, LONGER_TEXTS)]
  const found = await forAll(trial, { arbitrary, examples, runs: examples.length }, ({ length, keys }) =>
    attack(length, keys),
  )
  if (found.why === undefined && certified === 0)
    return notApplicable(NAME, reason || 'no text of the trial is certified against an edit')
  const show = ({ length, keys }: { length: number; keys: number }) => ({
    also: `a generated text of ${length} tokens, key seed ${keys}`,
  })
  return resultOf(NAME, trial, found, show, { kind: 'exact', cases: certified }, `${certified} cases`)
}

export const certificateHoldsLaw = {
  name: NAME,
  statement: 'a text that is certified against b edits is detected after any b edits',
  sampled: false,
  check: certificateHolds,
}
