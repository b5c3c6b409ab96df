/**
 * A text that is certified against b edits is detected after any b edits. Texts, keys and edits are drawn, and each text is judged at
 * the very level at which b edits are just certified: a certificate that promises a little too much has no room to hide. The edits
 * drawn are tried, and the edits of an adversary with the key: random ones would hardly ever come near a worst case.
 */
import type { Arbitrary } from 'fast-check'
import { detect } from '../../core/detect/index.ts'
import {
  beamAttack,
  type Certificate,
  type CertificateOptions,
  certifiedDecisionRadius,
  certifiedScoreRadius,
} from '../../theory/index.ts'
import type { Watermark } from '../../watermark.ts'
import { text } from './arbitraries/index.ts'
import {
  type Drawn,
  drawn,
  edited,
  HIGHEST,
  judged,
  MOST_EDITS,
  remembering,
  tightest,
  VOCAB,
} from './certified-texts.ts'
import { fc } from './fast-check.ts'
import { forAll, resultOf, Violation } from './for-all.ts'
import { defineLaw, type Effort, type Law, notApplicable, type Shown } from './law.ts'

/** Texts of each kind, and how many of all must be certified for the law to say anything. */
const TEXTS: Record<Effort, number> = { quick: 8, usual: 24, thorough: 100 }
const LEAST: Record<Effort, number> = { quick: 4, usual: 12, thorough: 50 }
/** Lengths of generated texts: the first at which texts can be certified; weak marks need longer ones. */
const LENGTHS = [40, 80, 160, 320, 640] as const
const PILOTS = 3
/** Tokens that an adversary may look at for one edit: longer texts have fewer places tried. */
const WORK = 40_000
/** Tokens that it tries at each place. */
const CANDIDATES = 8
const SHRINKS = 60

/** Certifies a text against some number of edits at a level. */
export type Certify = <Code>(
  watermark: Watermark<Code>,
  tokens: readonly number[],
  options: CertificateOptions,
) => Certificate

/** Returns the radius as a function of the level, or why there is no certificate. */
function radiusOf<Code>(
  certify: Certify,
  watermark: Watermark<Code>,
  tokens: readonly number[],
  key: string,
) {
  const at = (alpha: number): Certificate => certify(watermark, tokens, { key, vocabSize: VOCAB, alpha })
  const first = at(1 / 2)
  if (!first.applicable) return first.reason
  return (alpha: number): number => (at(alpha) as { radius: number }).radius
}

/** Throws where edits undo a detection that is certified against as many; returns whether it is certified. */
function attack<Code>(
  watermark: Watermark<Code>,
  { edits, keys }: Drawn,
  tokens: readonly number[],
  key: string,
  radius: (alpha: number) => number,
): boolean {
  const alpha = tightest(radius, edits.length)
  if (alpha === undefined) return false
  const options = { key, vocabSize: VOCAB, alpha }
  const refuse = (logPValue: number, left: readonly number[]): never => {
    throw new Violation(
      `certified against ${edits.length} edits at level ${alpha.toPrecision(6)}, yet they can leave ` +
        `[${left.join(', ')}] of [${tokens.join(', ')}], whose p-value is ${Math.exp(logPValue).toPrecision(6)}`,
    )
  }
  const after = edited(tokens, edits)
  const { logPValue, detected } = detect(watermark, after, options)
  if (!detected) refuse(logPValue, after)
  const places = Math.max(8, Math.ceil(WORK / (tokens.length * 2 * CANDIDATES)))
  const search = { most: edits.length, width: 1, candidates: CANDIDATES, places, seed: keys }
  const found = beamAttack(watermark, tokens, { ...options, ...search })
  if (found.edits !== undefined) refuse(found.logPValue, found.tokens)
  return true
}

/** Returns the length at which generated texts can be certified against as many edits as are drawn, or the longest. */
function lengthFor<Code>(watermark: Watermark<Code>, certify: readonly Certify[], seed: number): number {
  const certified = (length: number, pilot: number): boolean => {
    const { tokens, key } = judged(watermark, { text: length, keys: seed + pilot })
    return certify.some((one) => {
      const radius = radiusOf(one, watermark, tokens, key)
      return typeof radius === 'function' && radius(HIGHEST) >= MOST_EDITS
    })
  }
  const pilots = Array.from({ length: PILOTS }, (_, pilot) => pilot)
  const enough = (length: number): boolean => pilots.every((pilot) => certified(length, pilot))
  return LENGTHS.find(enough) ?? LENGTHS[LENGTHS.length - 1]!
}

const show = ({ text, keys, edits }: Drawn): Shown => {
  const what =
    typeof text === 'number' ? `a generated text of ${text} tokens` : `the text [${text.join(', ')}]`
  return { also: `${what}, vocabulary of ${VOCAB}, key seed ${keys}, ${edits.length} edits` }
}

/** Makes the law for certificates, each checked where it applies. */
export const certificateHolds = (certify: readonly Certify[]): Law =>
  defineLaw(
    {
      name: 'the certificate holds',
      statement: 'a text that is certified against b edits is detected after any b edits',
      sampled: false,
    },
    async (given, trial) => {
      if (given.detector === undefined) return notApplicable('declares no detector')
      const watermark = remembering(given)
      const reasons = certify.map((one) => radiusOf(one, watermark, [], 'any'))
      const applicable = certify.filter((_, i) => typeof reasons[i] === 'function')
      if (applicable.length === 0) return notApplicable(String(reasons[0]))
      let longest: number = LENGTHS[0]
      let certified = 0
      const marked = (): Arbitrary<number> => {
        longest = lengthFor(watermark, applicable, trial.seed)
        return fc.integer({ min: Math.ceil(longest / 2), max: longest })
      }
      const parts: readonly [string, () => Arbitrary<Drawn['text']>][] = [
        ['drawn', () => text({ vocabSize: VOCAB, maxLength: longest })],
        ['marked', marked],
      ]
      const runs = TEXTS[trial.effort]
      for (const [part, source] of parts) {
        const plan = { part, arbitrary: drawn(source()), runs, shrinks: SHRINKS, show }
        const found = await forAll(trial, plan, async (one) => {
          const { tokens, key } = judged(watermark, one)
          const radii = applicable.map((each) => radiusOf(each, watermark, tokens, key))
          const held = radii.map((radius) =>
            typeof radius === 'function' ? attack(watermark, one, tokens, key, radius) : false,
          )
          if (held.includes(true)) certified++
          await trial.breathe()
        })
        if (found.why !== undefined) return resultOf(found, { kind: 'exact', cases: certified })
      }
      const least = trial.path === undefined ? LEAST[trial.effort] : 0
      if (certified < least)
        return notApplicable(
          `${certified} of ${2 * runs} texts of up to ${longest} tokens can be certified; ${least} are needed`,
        )
      const detail = `${certified} certified texts, each at the level where its certificate is tight`
      return { verdict: 'holds', detail, evidence: { kind: 'exact', cases: certified } }
    },
  )

export const certificateHoldsLaw = certificateHolds([certifiedDecisionRadius, certifiedScoreRadius])
