/** The demands of robustness on any watermark, as checks on one text: `src/gate/laws` runs them on random texts and edits. */

import { reachUpTo, type Tokens } from '../core/keys/index.ts'
import { refuseUnknown } from '../input.ts'
import { requireWatermark, type Watermark } from '../watermark.ts'
import { type CertificateOptions, certifiedDecisionRadius } from './certified-radius.ts'
import { each, skipped } from './checked.ts'
import { applyEdit, checkEdit, type Edit, edited } from './edits.ts'
import { scoresChanged } from './effect-region.ts'
import { keyedDetector } from './keyed-detector.ts'

/** The verdict on a statement about robustness on one text. */
export interface RobustnessOutcome {
  readonly verdict: 'holds' | 'fails' | 'not applicable'
  readonly detail: string
}

/**
 * Checks that one edit changes at most as many scores as the context rule declares.
 * @example
 * const tokens = [5, 1, 4, 1, 5, 9, 2, 6, 5, 3]
 * reachLaw(kgw({ delta: 2 }), tokens, { kind: 'substitution', at: 7, token: 3 }).verdict // 'holds'
 */
export function reachLaw<Code>(
  watermark: Watermark<Code>,
  tokens: Tokens,
  edit: Edit,
  options: { readonly skip?: Iterable<number> } = {},
): RobustnessOutcome {
  requireWatermark(watermark)
  refuseUnknown('reachLaw', options, ['skip'])
  const { id } = watermark.context
  const after = applyEdit(tokens, edit)
  const reach = reachUpTo(watermark.context, Math.max(tokens.length, after.length))
  if (!Number.isFinite(reach)) return { verdict: 'not applicable', detail: `${id} declares no bound` }
  const skip = skipped(options.skip)
  const { lost, gained } = scoresChanged(watermark.context, tokens, after, (token) => skip.has(token))
  return {
    verdict: Math.max(lost, gained) <= reach ? 'holds' : 'fails',
    detail: `one ${edit.kind} at ${edit.at} takes ${lost} scores and adds ${gained}; ${id} declares a reach of ${reach}`,
  }
}

/**
 * Checks that a text that is certified against b edits is still detected after the first b of the given ones. Places are those of the text
 * as it stands when the edit is made; a place beyond its end counts from the start again.
 * @example
 * const watermark = kgw({ delta: 4 })
 * const model = markovModel({ vocabSize: 64, entropy: 3 })
 * const [{ tokens }] = await generate(model, [0], { watermark, key: 'secret', maxNewTokens: 100, seed: 1 })
 * const edits = [{ kind: 'deletion', at: 10 }, { kind: 'substitution', at: 20, token: 3 }]
 * certificateLaw(watermark, tokens, edits, { key: 'secret', vocabSize: 64, alpha: 0.01 }).verdict // 'holds'
 */
export function certificateLaw<Code>(
  watermark: Watermark<Code>,
  tokens: Tokens,
  edits: readonly Edit[],
  options: CertificateOptions,
): RobustnessOutcome {
  const certificate = certifiedDecisionRadius(watermark, tokens, options)
  each('edits', edits, 'a list of edits', checkEdit)
  if (!certificate.applicable) return { verdict: 'not applicable', detail: certificate.reason }
  const made = Math.min(certificate.radius, edits.length)
  if (made < 1)
    return { verdict: 'not applicable', detail: `no edit is certified (radius ${certificate.radius})` }
  let text: readonly number[] = Array.from(tokens)
  for (const edit of Array.from(edits).slice(0, made)) {
    const places = text.length + (edit.kind === 'insertion' ? 1 : 0)
    if (places > 0) text = edited(text, { ...edit, at: edit.at % places })
  }
  const { detected, logPValue, statistic, scored } = keyedDetector(watermark, options).detect(text)
  return {
    verdict: detected ? 'holds' : 'fails',
    detail: `certified against ${certificate.radius} edits; after ${made} the statistic is ${statistic} of ${scored} scores, ln p = ${logPValue.toFixed(3)}`,
  }
}
