import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const root = fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '')

/**
 * Folders of spec/ that are projects of their own; everything else is the projects `unit` and `pure`. Files named `*.slow.spec.ts`, in any of the
 * folders of `npm test`, are the project `slow`: `npm run test:slow`. Those named `*.nightly.spec.ts` run every night and in `npm run test:all`.
 */
const own = ['watermarks', 'mutants', 'theorems', 'benchmark', 'throughput', 'detection', 'python']

/**
 * Folders of functions without side effects: their files share the processes that run them, which saves a start and all imports for each. They
 * are the project `pure`. A spec there that changes the environment, or measures memory, belongs elsewhere.
 */
const pure = ['detect', 'laws', 'message', 'metrics', 'paper', 'reference', 'report', 'stats', 'theory']

const timed = { testTimeout: 180_000, hookTimeout: 180_000 }
const shared = { ...timed, isolate: false }
const slow = 'spec/**/*.slow.spec.ts'
const nightly = 'spec/**/*.nightly.spec.ts'

/** The longest files of `npm run test:slow` go first: begun last, one of them keeps a single core busy at the end. */
const longest = [
  'watermarks/gate.slow',
  'contributing/recipe.slow',
  'server/mistakes.slow',
  'docs/readme.slow',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = longest.findIndex((name) => moduleId.includes(name))
      return at < 0 ? longest.length : at
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

const project = (name: string, folders: string[], options: object = {}) => ({
  test: { name, include: folders.map((folder) => `spec/${folder}/**/*.spec.ts`), ...options },
})

/** One tag per report of the benchmark: `vitest run --project=bench --tags-filter=table3`. */
const reports = ['table1', 'table2', 'table3', 'table4', 'table5', 'table6', 'table7', 'figure1', 'figure2']
const tags = [...reports, 'agreement', 'audit', 'falsePositives', 'samples', 'equalStrength'].map((name) => ({
  name,
  description: `the report ${name}`,
}))

export default defineConfig({
  test: {
    // one more than there are cores: some tests wait for a process, a server or a clock
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    reporters: [
      'default',
      './spec/theorems/reporter.ts',
      './src/gate/vitest/reporter.ts',
      './spec/missing-reporter.ts',
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/core/kernels/assembly/**', 'src/core/kernels/*binary.ts'],
      reporter: ['text-summary', 'html', 'lcov'],
    },
    projects: [
      project('unit', ['**'], {
        exclude: [slow, nightly, ...[...own, ...pure].map((folder) => `spec/${folder}/**`)],
        ...timed,
      }),
      project('pure', pure, { exclude: [slow, nightly], ...shared }),
      project('properties', ['watermarks', 'mutants'], { exclude: [slow, nightly], ...timed }),
      project('theorems', ['theorems'], shared),
      { test: { name: 'slow', include: [slow], ...timed } },
      { test: { name: 'nightly', include: [nightly], ...timed } },
      // watermarks in Python through the testee protocol; with torch where it is installed
      project('python', ['python'], { testTimeout: 600_000, hookTimeout: 600_000 }),
      project('bench', ['benchmark'], { testTimeout: 0, fileParallelism: false, tags }),
      project('detection', ['detection'], { testTimeout: 0 }),
      {
        ...project('throughput', ['throughput'], {
          testTimeout: 0,
          fileParallelism: false,
          maxWorkers: 1,
          globalSetup: './spec/throughput/build.ts',
          server: { deps: { external: [/\/dist\//] } },
        }),
        // what is timed is the built package, as users run it: a test runner's own module loader costs up to a third
        resolve: { alias: [{ find: /^\.\.\/\.\.\/src\/(.*)\.ts$/, replacement: `${root}/dist/$1.js` }] },
      },
    ],
  },
})
