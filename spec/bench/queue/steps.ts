/** Steps for tests of the queue. Each computation leaves a line in a file. */
import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { defineStep, type Steps } from '../../../src/bench/cells/step.ts'

interface Resources {
  readonly log?: string
  readonly pause?: number
  /** What `whose` returns: a step that is not the same on every machine. */
  readonly name?: string
}

type Inputs = { readonly x: number; readonly model?: { readonly id: string } }

export const open = (options: unknown): Resources => (options ?? {}) as Resources

const begin = async ({ log, pause: rest }: Resources, line: string): Promise<void> => {
  if (log) appendFileSync(log, `${line}\n`)
  if (rest) await pause(rest)
}

export const steps: Steps<Resources>['steps'] = {
  square: defineStep<Inputs, [], number, Resources>({
    module: import.meta.url,
    async run({ x, model }, _, resources) {
      await begin(resources, `${model?.id ?? 'square'} ${x}`)
      return x * x
    },
  }),
  sum: defineStep<object, number[], number, Resources>({
    module: import.meta.url,
    async run(_, needs, resources) {
      await begin(resources, 'sum')
      return needs.reduce((a, b) => a + b, 0)
    },
  }),
  whose: defineStep<object, [], string, Resources>({
    module: import.meta.url,
    async run(_, __, resources) {
      await begin(resources, `whose ${resources.name}`)
      return resources.name ?? 'nobody'
    },
  }),
  fail: defineStep<object, [], number, Resources>({
    module: import.meta.url,
    async run(_, __, resources) {
      await begin(resources, 'fail')
      throw new Error('this step always fails')
    },
  }),
}
