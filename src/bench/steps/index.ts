/** All steps of the benchmark: what a worker imports. */

import type { Json } from '../cells/cell.ts'
import type { Step } from '../cells/step.ts'
import { attackStep } from './attack.ts'
import { budgetStep } from './budget.ts'
import { certifyStep } from './certify.ts'
import { detectStep } from './detect.ts'
import { generateStep } from './generate.ts'
import { hereOf } from './here.ts'
import { humanStep } from './human.ts'
import { measureStep } from './measure.ts'
import { repeatStep } from './repeat.ts'
import { openResources, type Resources } from './resources.ts'
import { sampleStep } from './sample.ts'
import { scanStep } from './scan.ts'

export const steps: { readonly [name: string]: Step<Resources> } = {
  generate: generateStep,
  detect: detectStep,
  measure: measureStep,
  attack: attackStep,
  repeat: repeatStep,
  budget: budgetStep,
  certify: certifyStep,
  human: humanStep,
  sample: sampleStep,
  scan: scanStep,
}

/** The lists and tables that the value of each step holds. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  generate: ['texts', 'entropy', 'surprise'],
  detect: ['full', 'cut', 'scored'],
  measure: [],
  attack: ['texts', 'distance'],
  repeat: ['drift', 'rejected'],
  budget: [],
  certify: ['certified', 'attacked'],
  sample: ['samples'],
  scan: ['outcomes'],
}

export function misfit(step: string, value: Json): string | undefined {
  const parts = PARTS[step] ?? []
  const isTable = (part: unknown): boolean => typeof part === 'object' && part !== null
  const fits = isTable(value) && parts.every((part) => isTable((value as Record<string, unknown>)[part]))
  return fits ? undefined : `an object${parts.length > 0 ? ` with ${parts.join(', ')}` : ''}`
}

export const open = openResources

export const moveOn = (resources: Resources, inputs: { readonly [key: string]: Json }): Promise<void> =>
  resources.moveOn(inputs)

/** For workers of a queue: what cells are made of here. */
export const here = hereOf(steps)
export * from './detect-queue.ts'
export { Generator } from './generator.ts'
export * from './resources.ts'
