// The steps of the benchmark, which leave a line in a file at the start of every computation and take a moment longer.
import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { here, misfit, open, steps as plain } from '../../../dist/bench/steps/index.js'

const { TRACE, PAUSE } = process.env

export { here, misfit, open }
export const steps = Object.fromEntries(
  Object.entries(plain).map(([name, step]) => [
    name,
    {
      ...step,
      async run(...args) {
        appendFileSync(TRACE, `${process.pid} ${name}\n`)
        await pause(Number(PAUSE))
        return step.run(...args)
      },
    },
  ]),
)
