import { allEdits, reachLaw } from '../theory/index.ts'
import type { Watermark } from '../watermark.ts'
import { text } from './arbitraries/index.ts'
import { forAll, Violation } from './for-all.ts'
import { type LawResult, notApplicable, type Trial } from './law.ts'
import { resultOf } from './result.ts'

const NAME = 'an edit reaches as far as declared'
/** So few tokens that contexts recur: then an edit also uncovers later copies of the contexts it destroys. */
const VOCAB = 3
const LENGTH = 18
const RUNS = 60
const replacements = Array.from({ length: VOCAB }, (_, i) => i)

/** One edit changes at most as many scores as the context rule declares: every edit of random texts is tried. */
async function editsReach<Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult> {
  const { reach, id } = watermark.context
  if (watermark.detector === undefined) return notApplicable(NAME, 'declares no detector')
  if (!Number.isFinite(reach)) return notApplicable(NAME, `${id} declares no bound`)
  const arbitrary = text({ vocabSize: VOCAB, maxLength: LENGTH })
  const found = await forAll(trial, { arbitrary, runs: RUNS }, (tokens) => {
    for (const edit of allEdits(tokens, replacements)) {
      const { verdict, detail } = reachLaw(watermark, tokens, edit)
      if (verdict === 'fails') throw new Violation(detail)
    }
  })
  return resultOf(NAME, trial, found, (tokens) => ({ also: `the text [${tokens.join(', ')}]` }))
}

export const editsReachLaw = {
  name: NAME,
  statement: 'one edit takes or adds at most as many scores as the context rule declares',
  sampled: false,
  check: editsReach,
}
