import { fileURLToPath } from 'node:url'

export default {
  test: {
    root: fileURLToPath(new URL('../../..', import.meta.url)),
    include: ['spec/bench/interrupted/endless.bench.ts'],
    reporters: ['./src/gate/vitest/reporter.ts'],
  },
}
