/** Every unusual watermark that is correct, with the laws that are asked about it. */
import { allLaws } from '../../src/gate/laws/all-laws.ts'
import type { AnyWatermark } from '../../src/watermarks/entry.ts'
import { bases } from './bases.ts'
import { law } from './mutant.ts'
import { oddSteps } from './odd-steps.ts'
import { oddTexts } from './odd-texts.ts'
import { oddities } from './oddities.ts'
import { validPValues } from './valid-p-values.ts'

export interface Correct {
  readonly name: string
  readonly watermark: AnyWatermark
  readonly laws: readonly string[]
}

const everyLaw = allLaws.map(({ name }) => name)
/** Those about p-values score as they like, whatever the mark is: what else holds of them is not the point. */
const aboutPValues: readonly string[] = [law.nullLaw, law.reach, law.certificate]

/** About whole texts and p-values these claim nothing. */
export const aboutSteps: readonly string[] = [law.distribution, law.orbit, law.honest, law.keys, law.warping]

export const correct: readonly Correct[] = [
  ...bases().map((watermark) => ({ name: watermark.id, watermark, laws: everyLaw })),
  ...[...oddTexts, ...oddSteps].map((odd) => ({ ...odd, laws: everyLaw })),
  ...oddities.map(([name, watermark]) => ({ name, watermark, laws: aboutSteps })),
  ...validPValues.map((watermark) => ({ name: watermark.id, watermark, laws: aboutPValues })),
]
