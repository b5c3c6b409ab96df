/** All steps of the benchmark: what a worker imports. */
import { openResources, type Resources } from '../resources.ts'
import type { Step } from '../step.ts'
import { attackStep } from './attack.ts'
import { budgetStep } from './budget.ts'
import { certifyStep } from './certify.ts'
import { detectStep } from './detect.ts'
import { generateStep } from './generate.ts'
import { humanStep } from './human.ts'
import { measureStep } from './measure.ts'
import { repeatStep } from './repeat.ts'

export const steps: { readonly [name: string]: Step<Resources> } = {
  generate: generateStep,
  detect: detectStep,
  measure: measureStep,
  attack: attackStep,
  repeat: repeatStep,
  budget: budgetStep,
  certify: certifyStep,
  human: humanStep,
}

export const open = openResources
