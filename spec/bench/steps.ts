/** Steps for the runner's own tests: small arithmetic that leaves a trace of every computation in a log file. */
import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Steps } from '../../src/bench/cells/step.ts'
import { defineStep } from '../../src/bench/cells/step.ts'

interface Resources {
  readonly log?: string
  readonly pause?: number
}

const trace = async (resources: Resources, line: string): Promise<void> => {
  if (resources?.pause) await pause(resources.pause)
  if (resources?.log) appendFileSync(resources.log, `${line}\n`)
}

export const open = (options: unknown): Resources => (options ?? {}) as Resources

export const steps: Steps<Resources>['steps'] = {
  square: defineStep<{ x: number }, [], number, Resources>({
    module: import.meta.url,
    async run({ x }, _, resources) {
      await trace(resources, `square ${x}`)
      return x * x
    },
  }),
  sum: defineStep<{ name: string }, number[], number, Resources>({
    module: import.meta.url,
    async run({ name }, needs, resources) {
      await trace(resources, `sum ${name}`)
      return needs.reduce((a, b) => a + b, 0)
    },
  }),
  /** Never gives a value: asleep, or busy without ever yielding. */
  endless: defineStep<{ busy: boolean }, [], number, Resources>({
    module: import.meta.url,
    async run({ busy }) {
      while (busy);
      return new Promise(() => {})
    },
  }),
  /** Takes its worker down: in the middle of a cell, or soon after it gave its value. */
  exit: defineStep<{ x: number; after: boolean }, [], number, Resources>({
    module: import.meta.url,
    run({ x, after }) {
      if (after) setTimeout(() => process.exit(7), 1)
      else process.exit(7)
      return x
    },
  }),
  fail: defineStep<object, [], number, Resources>({
    module: import.meta.url,
    run() {
      throw new Error('this step always fails')
    },
  }),
}
