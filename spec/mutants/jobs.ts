/** What `npm run mutants` does, in jobs that can run apart, and what comes of each. */
import { allLaws } from '../../src/gate/laws/all-laws.ts'
import { checkLaw, settingsOf, trialOf } from '../../src/gate/laws/check.ts'
import type { LawResult } from '../../src/gate/laws/law.ts'
import { grossMistakes, tried } from './all.ts'
import { type Correct, correct } from './correct.ts'
import { type GrossSize, grossSize } from './gross-sizes.ts'
import { type Mutant, law as names } from './mutant.ts'
import { verdictOn } from './verdict.ts'

/** Runs of a gross mistake at default settings, and of a correct watermark under each law. */
export const GROSS_RUNS = 30
export const CORRECT_RUNS = 200
/** False alarms are counted at this rate for a whole run, on vocabularies of at most so many tokens. */
export const COUNTED_FALSE_ALARM = 0.05
const MAX_VOCAB_SIZE = 1000

/** What a law said in some runs. */
export interface Finding {
  readonly law: string
  readonly runs: number
  /** Runs in which the law itself found something wrong. */
  readonly fails: number
  /** Runs in which the watermark threw an error. */
  readonly threw: number
  readonly notApplicable: number
  /** Secret keys of a run, shrinking included: the median; 0 where the law is exact. */
  readonly keys: number
  /** Processor time of a run: the mean. */
  readonly seconds: number
  /** How large the mistake is and what is promised of it, where that is known. */
  readonly size?: GrossSize | undefined
}

export const PARTS = ['table', 'gross', 'default', 'counts'] as const
export type Part = (typeof PARTS)[number]

export interface Job {
  readonly part: Part
  readonly name: string
  run(seed: number): Promise<Finding[]>
}

/** A seed of its own for each run of each job (FNV-1a). */
export function seedOf(...parts: readonly (string | number)[]): number {
  let hash = 0x811c9dc5
  for (const character of parts.join('/')) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193)
  return hash
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Checks a law `runs` times and adds up. */
async function repeat(
  law: string,
  runs: number,
  once: (run: number) => Promise<LawResult>,
): Promise<Finding> {
  const before = process.cpuUsage()
  const results: LawResult[] = []
  for (let run = 0; run < runs; run++) results.push(await once(run))
  const { user, system } = process.cpuUsage(before)
  const isError = ({ detail }: LawResult): boolean => detail.startsWith('the watermark threw')
  const failed = results.filter(({ verdict }) => verdict === 'fails')
  return {
    law,
    runs,
    fails: failed.filter((result) => !isError(result)).length,
    threw: failed.filter(isError).length,
    notApplicable: results.filter(({ verdict }) => verdict === 'not applicable').length,
    keys: median(results.map(({ evidence }) => (evidence?.kind === 'sampled' ? evidence.keys : 0))),
    seconds: (user + system) / 1e6 / runs,
  }
}

/** Every law about a mutant: those that must reject it, or all of a survivor, at default settings, the others with less effort. */
const inTable = (mutant: Mutant): Job => ({
  part: 'table',
  name: mutant.name,
  async run(seed) {
    const findings: Finding[] = []
    for (const { name } of allLaws) {
      const { killedBy } = mutant
      const effort = killedBy.length === 0 || killedBy.includes(name) ? 'usual' : 'quick'
      const options = { seed: seedOf(seed, mutant.name), effort } as const
      findings.push(await repeat(name, 1, () => verdictOn(mutant, name, options)))
    }
    return findings
  },
})

/** The law that must reject it, with fresh seeds and nothing but defaults. */
const asGross = (mutant: Mutant): Job => ({
  part: 'gross',
  name: mutant.name,
  run: async (seed) => {
    const law = mutant.killedBy[0]!
    const once = (run: number) =>
      verdictOn(mutant, law, { seed: seedOf(seed, mutant.name, run), miss: undefined })
    return [{ ...(await repeat(law, GROSS_RUNS, once)), size: grossSize(mutant.name, seed) }]
  },
})

/** Every law, once, at default settings. */
const byDefault = ({ name, watermark, laws }: Correct): Job => ({
  part: 'default',
  name,
  async run(seed) {
    const findings: Finding[] = []
    for (const law of allLaws.filter((one) => laws.includes(one.name)))
      findings.push(
        await repeat(law.name, 1, () => checkLaw(law, watermark, settingsOf({ seed: seedOf(seed, name) }))),
      )
    return findings
  },
})

/** Every law many times, at a false-alarm rate that can be counted. */
const counted = ({ name, watermark, laws }: Correct): Job => ({
  part: 'counts',
  name,
  async run(seed) {
    const findings: Finding[] = []
    for (const law of allLaws.filter((one) => laws.includes(one.name)))
      findings.push(
        await repeat(law.name, CORRECT_RUNS, (run) => {
          // at the quick effort "detectable" asks for a mark that shows in 600 tokens: no matter of chance
          const effort = law.name === names.detectable ? 'usual' : 'quick'
          const options = { falseAlarm: COUNTED_FALSE_ALARM, effort } as const
          const settings = settingsOf({ ...options, seed: seedOf(seed, name, law.name, run) })
          const small = { ...trialOf(law, settings), maxVocabSize: MAX_VOCAB_SIZE }
          return law.check(watermark, small)
        }),
      )
    return findings
  },
})

export const jobs: readonly Job[] = [
  ...tried.map(inTable),
  ...grossMistakes.map(asGross),
  ...correct.map(byDefault),
  ...correct.map(counted),
]
