/** Steps for the runner's own tests: small arithmetic that leaves a trace of every computation in a log file. */
import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Steps } from '../../src/bench/step.ts'
import { defineStep } from '../../src/bench/step.ts'

interface Place {
  readonly log?: string
  readonly pause?: number
}

const trace = async (place: Place, line: string): Promise<void> => {
  if (place?.pause) await pause(place.pause)
  if (place?.log) appendFileSync(place.log, `${line}\n`)
}

export const open = (options: unknown): Place => (options ?? {}) as Place

export const steps: Steps<Place>['steps'] = {
  square: defineStep<{ x: number }, [], number, Place>({
    module: import.meta.url,
    async run({ x }, _, place) {
      await trace(place, `square ${x}`)
      return x * x
    },
  }),
  sum: defineStep<{ name: string }, number[], number, Place>({
    module: import.meta.url,
    async run({ name }, needs, place) {
      await trace(place, `sum ${name}`)
      return needs.reduce((a, b) => a + b, 0)
    },
  }),
  fail: defineStep<object, [], number, Place>({
    module: import.meta.url,
    run() {
      throw new Error('this step always fails')
    },
  }),
}
