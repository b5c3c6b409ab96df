/** Steps compute cells: a step is a function from inputs and the values of the cells it builds on to a value. */
import { callable, refuseUnknown, text, wrongType } from '../../input.ts'
import type { Json } from './cell.ts'

/** The function that computes one kind of cell. */
export interface Step<Resources = unknown> {
  /** The module that holds the step (`import.meta.url`): its code is part of every cell's address. */
  readonly module: string
  /** Expected work of a cell, in any unit that is the same for all steps; for the time left. */
  readonly cost?: (inputs: { readonly [key: string]: Json }) => number
  run(
    inputs: { readonly [key: string]: Json },
    needs: readonly Json[],
    resources: Resources,
  ): Promise<Json> | Json
}

/**
 * Keeps a step's own types, which JSON has erased, on both sides.
 * @example
 * const double = defineStep({ module: 'file:///steps.js', run: ({ n }) => 2 * n })
 * double.run({ n: 3 }, [], undefined) // 6
 */
export function defineStep<Inputs, Needs extends readonly unknown[], Value, Resources>(step: {
  module: string
  cost?: (inputs: Inputs) => number
  run(inputs: Inputs, needs: Needs, resources: Resources): Promise<Value> | Value
}): Step<Resources> {
  if (typeof step !== 'object' || step === null) throw wrongType('step', 'an object { module, run }', step)
  refuseUnknown('defineStep', step, ['module', 'cost', 'run'])
  text('module', step.module)
  callable('run', step.run, 'a function (inputs, needs, resources)')
  if (step.cost !== undefined) callable('cost', step.cost, 'a function of the inputs, or nothing')
  return step as unknown as Step<Resources>
}

/** The exports of a module of steps: `steps`, and `open`, which makes the models and data that all cells of one worker share. */
export interface Steps<Resources = unknown> {
  readonly steps: { readonly [name: string]: Step<Resources> }
  readonly open?: (options: Json) => Resources
  /** Called before each cell: what the cells of a worker share may be freed where this one does not use it. */
  readonly moveOn?: (resources: Resources, inputs: { readonly [key: string]: Json }) => Promise<void>
  /** Describes the shape that the value of a step must have, where a stored one does not; undefined where it fits. */
  readonly misfit?: (step: string, value: Json) => string | undefined
}

export function stepOf<Resources>({ steps }: Steps<Resources>, name: string, url: string): Step<Resources> {
  if (!Object.hasOwn(steps, name))
    throw new Error(`no step '${name}' in ${url}; there are ${Object.keys(steps).join(', ')}`)
  return steps[name]!
}
