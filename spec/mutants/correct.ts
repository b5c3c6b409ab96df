/** Every unusual watermark that is correct, with the laws that are asked about it. */
import { allLaws } from '../../src/laws/all-laws.ts'
import type { AnyWatermark } from '../../src/watermarks/index.ts'
import { law } from './mutant.ts'
import { oddSteps } from './odd-steps.ts'
import { oddTexts } from './odd-texts.ts'
import { validPValues } from './valid-p-values.ts'

export interface Correct {
  readonly name: string
  readonly watermark: AnyWatermark
  readonly laws: readonly string[]
}

const everyLaw = allLaws.map(({ name }) => name)
/** Contexts that come back are right for p-values; what else such a watermark claims is the mutants' business. */
const aboutPValues: readonly string[] = [law.nullLaw, law.reach, law.certificate]
const reuses = ({ context, unbiasedUpTo, id }: AnyWatermark): boolean =>
  (context.recurs && unbiasedUpTo === undefined) || id.includes('codes=reference')

export const correct: readonly Correct[] = [
  ...oddTexts.map((odd) => ({ ...odd, laws: everyLaw })),
  ...oddSteps.map((odd) => ({ ...odd, laws: everyLaw })),
  ...validPValues.map((watermark) => ({
    name: watermark.id,
    watermark,
    laws: reuses(watermark) ? aboutPValues : everyLaw,
  })),
]
