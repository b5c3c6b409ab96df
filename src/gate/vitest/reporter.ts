/**
 * A vitest reporter for benchmarks: shows progress while cells are computed, a line now and then. After the run it prints the results
 * and writes `reports/index.html` and `reports/run.json`. Runs without a benchmark are left alone.
 */
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { counted, printable, verb, writeIndex, writeRun } from '../../bench/report/index.ts'
import type { ReportMeta } from './to-match-report.ts'

/** Facts of a benchmark test, in `task.meta.bench`. */
export interface BenchMeta {
  readonly scale: string
  /** The folder of the reports. */
  readonly folder: string
  readonly computed: number
  readonly reused: number
  readonly missing: number
  readonly seconds: number
}

interface Meta {
  readonly uwbench?: ReportMeta
  readonly bench?: BenchMeta
}

export interface ReporterOptions {
  readonly stream?: { write(text: string): unknown }
  readonly now?: () => Date
}

export default class BenchReporter implements Reporter {
  readonly #options: ReporterOptions

  constructor(options: ReporterOptions = {}) {
    this.#options = options
  }

  /** Finished cells are stored: says so if the run is stopped while a benchmark is under way. Vitest itself ends the run. */
  readonly #interrupted = (): void => {
    this.#stream.write('interrupted; rerun to resume\n')
  }
  #watching = false
  #parent: NodeJS.Timeout | undefined

  /**
   * npm starts a run through a shell. A SIGTERM to npm ends that shell, which passes nothing on: the run would go on unseen. Its
   * parent is then another process.
   */
  #watchParent(): NodeJS.Timeout | undefined {
    if (process.env.npm_lifecycle_event === undefined) return undefined
    const parent = process.ppid
    return setInterval(() => {
      if (process.ppid === parent) return
      this.#interrupted()
      process.exit(143)
    }, 200).unref()
  }

  #watch(on: boolean): void {
    if (on === this.#watching) return
    this.#watching = on
    clearInterval(this.#parent)
    this.#parent = on ? this.#watchParent() : undefined
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      if (on) process.prependListener(signal, this.#interrupted)
      else process.removeListener(signal, this.#interrupted)
  }

  get #stream() {
    return this.#options.stream ?? process.stderr
  }

  onTestCaseAnnotate(_: TestCase, annotation: { type: string; message: string }): void {
    if (annotation.type !== 'progress') return
    this.#watch(true)
    // whole lines: the test runner redraws the last ones of a terminal, and would overwrite one without an end
    this.#stream.write(`${printable(annotation.message)}\n`)
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    this.#watch(false)
    const metas = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.meta() as Meta),
    )
    const runs = metas.flatMap(({ bench }) => (bench ? [bench] : []))
    if (runs.length === 0) return
    for (const { uwbench } of metas)
      for (const line of uwbench?.summary ?? []) this.#stream.write(`${printable(line)}\n`)
    const missing = runs.reduce((sum, run) => sum + run.missing, 0)
    if (missing > 0) {
      this.#stream.write(
        `${counted(missing, 'cell')} ${verb(missing, 'belongs', 'belong')} to other shards: copy their stores into this one and rerun\n`,
      )
      return
    }
    const sum = (part: 'computed' | 'reused' | 'seconds') => runs.reduce((total, run) => total + run[part], 0)
    const { now = () => new Date() } = this.#options
    const { folder, scale } = runs[0]!
    writeIndex(folder)
    writeRun(folder, {
      date: now().toISOString(),
      seconds: Math.round(sum('seconds')),
      scale,
      'cells computed': sum('computed'),
      'cells reused': sum('reused'),
    })
    this.#stream.write(`reports are in ${folder}/; open ${folder}/index.html\n`)
  }
}
