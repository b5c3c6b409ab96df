/** The report of `npm run mutants`: which law rejects which mutant, and that correct watermarks pass. */

import { logBinomialTail } from '../../src/core/stats/entry.ts'
import { allLaws, ledger } from '../../src/gate/laws/entry.ts'
import { table } from '../docs/parts.ts'
import { allMutants, grossMistakes, tried } from './all.ts'
import { correct } from './correct.ts'
import {
  CORRECT_RUNS,
  COUNTED_FALSE_ALARM,
  type Finding,
  GROSS_RUNS,
  jobs,
  PARTS,
  type Part,
} from './jobs.ts'
import type { Mutant } from './mutant.ts'
import { survivorSizes } from './survivors.ts'

export { jobs, PARTS } from './jobs.ts'

/** What came of each job, in the order of jobs; undefined where it has not run. */
export type Done = readonly (readonly Finding[] | undefined)[]

/** The chance that the count of false alarms of a correct watermark is called too large. */
const COUNT_LEVEL = 1e-9

const numberOf = (law: string): number => allLaws.findIndex(({ name }) => name === law) + 1
const findingsOf = (done: Done, part: Part, name: string): readonly Finding[] | undefined =>
  done[jobs.findIndex((job) => job.part === part && job.name === name)]
const rejects = ({ fails }: Finding): boolean => fails > 0
const seconds = (x: number): string => x.toPrecision(2)
const count = (x: number): string => x.toLocaleString('en')

/** How many of `runs` may fail, but for a chance of 1e-9, if each does with probability at most `rate`. */
export function mostFailures(runs: number, rate: number): number {
  let most = 0
  while (rate > 0 && most < runs && logBinomialTail(most + 1, runs, rate) > Math.log(COUNT_LEVEL)) most++
  return most
}

/** A law also refuses a watermark that throws where it must not. */
const isRefused = ({ fails, threw }: Finding): boolean => fails + threw > 0

/** X: rejected, E: an error; a bold one was required. */
function cell(mutant: Mutant, finding: Finding): string {
  const { law, fails, threw, notApplicable } = finding
  const mark = fails > 0 ? 'X' : threw > 0 ? 'E' : notApplicable > 0 ? ' ' : '·'
  if (!mutant.killedBy.includes(law)) return mark
  return isRefused(finding) ? `**${mark}**` : '**missed**'
}

function grid(done: Done, mutants: readonly Mutant[]): string {
  const head = ['mutant', ...allLaws.map((_, i) => `${i + 1}`), 'first law', 'keys', 'seconds']
  const rows = mutants.flatMap((mutant) => {
    const findings = findingsOf(done, 'table', mutant.name)
    if (findings === undefined) return []
    const by = findings.find(({ law }) => law === mutant.killedBy[0]) ?? findings.find(rejects)
    return [
      [
        mutant.name,
        ...findings.map((finding) => cell(mutant, finding)),
        by === undefined ? '' : `${numberOf(by.law)}`,
        by === undefined ? '' : by.keys === 0 ? 'exact' : count(by.keys),
        by === undefined ? '' : seconds(by.seconds),
      ],
    ]
  })
  return table(head, rows)
}

function summary(done: Done): string[] {
  const rows = allMutants.flatMap((mutant) => {
    const findings = findingsOf(done, 'table', mutant.name)
    return findings === undefined ? [] : [{ mutant, findings }]
  })
  const killed = rows.filter(
    ({ mutant, findings }) =>
      findings.some(rejects) || findings.some((one) => mutant.killedBy.includes(one.law) && isRefused(one)),
  )
  const families = [...new Set(allMutants.map(({ family }) => family))]
  const of = (list: typeof rows, family: string): number =>
    list.filter(({ mutant }) => mutant.family === family).length
  const law = (name: string, i: number): string[] => {
    const own = rows.filter(({ findings }) => rejects(findings[i]!))
    const alone = own.filter(({ findings }) => findings.filter(rejects).length === 1).length
    const errors = rows.filter(({ findings }) => findings[i]!.threw > 0).length
    return [`${i + 1}`, name, `${own.length}`, `${alone}`, `${errors}`]
  }
  return [
    `${killed.length} of ${rows.length} mutants are rejected.`,
    '',
    table(
      ['family', 'mutants', 'rejected'],
      families.map((family) => [family, `${of(rows, family)}`, `${of(killed, family)}`]),
    ),
    '',
    table(
      ['', 'law', 'rejects', 'and no other law does', 'hears an error'],
      allLaws.map(({ name }, i) => law(name, i)),
    ),
  ]
}

const unseen = (): string =>
  table(
    ['mistake', 'its size', '', 'is sure to be seen from', 'or with'],
    survivorSizes.map(({ name, size, where, promised, seenWith }) => [
      name,
      size.toPrecision(2),
      where,
      promised === undefined ? '' : `${promised}`,
      seenWith,
    ]),
  )

const gross = (done: Done): string =>
  table(
    ['mistake', 'law', 'rejected', 'keys', 'seconds', 'its size', '', 'sure to be seen from'],
    grossMistakes.flatMap(({ name }) =>
      (findingsOf(done, 'gross', name) ?? []).map(({ law, fails, runs, keys, seconds: s, size }) => [
        name,
        law,
        `${fails} of ${runs}`,
        count(keys),
        seconds(s),
        size?.size.toPrecision(2) ?? '',
        size?.where ?? '',
        size === undefined ? 'not computed' : `${+size.promised.toPrecision(2)}`,
      ]),
    ),
  )

/** Failures of correct watermarks under one law, over all of them. */
interface Counted {
  readonly law: string
  readonly runs: number
  readonly fails: number
  readonly rate: number
  /** The largest count of one watermark. */
  readonly most: number
}
function countsOf(done: Done): Counted[] {
  const findings = correct.flatMap(({ name }) => findingsOf(done, 'counts', name) ?? [])
  return ledger(allLaws, COUNTED_FALSE_ALARM).map(({ law, falseAlarm }) => {
    const own = findings.filter((finding) => finding.law === law)
    const failures = own.map(({ fails, threw }) => fails + threw)
    return {
      law,
      rate: falseAlarm,
      runs: own.reduce((sum, { runs, notApplicable }) => sum + runs - notApplicable, 0),
      fails: failures.reduce((a, b) => a + b, 0),
      most: Math.max(0, ...failures),
    }
  })
}
const counts = (done: Done): string =>
  table(
    ['law', 'runs', 'refused', 'at most, by its rate', 'one watermark', 'at most'],
    countsOf(done).map(({ law, rate, runs, fails, most }) =>
      [law, count(runs), fails, mostFailures(runs, rate), most, mostFailures(CORRECT_RUNS, rate)].map(String),
    ),
  )

const accepted = (done: Done): string =>
  table(
    ['correct watermark', 'laws', 'refused by', 'seconds'],
    correct.flatMap(({ name }) => {
      const findings = findingsOf(done, 'default', name)
      if (findings === undefined) return []
      const refused = findings.filter(({ fails, threw }) => fails + threw > 0).map(({ law }) => law)
      const all = findings.reduce((sum, finding) => sum + finding.seconds, 0)
      return [[name, `${findings.length}`, refused.join(', '), seconds(all)]]
    }),
  )

/** What is not as it must be, in words; nothing where all is well or has not run. */
export function problems(done: Done): string[] {
  const missed = allMutants.flatMap(({ name, killedBy }) =>
    (findingsOf(done, 'table', name) ?? [])
      .filter((finding) => killedBy.includes(finding.law) && !isRefused(finding))
      .map(({ law }) => `"${law}" must reject '${name}'`),
  )
  const rare = grossMistakes.flatMap(({ name }) =>
    (findingsOf(done, 'gross', name) ?? [])
      .filter(({ fails, runs }) => fails < runs)
      .map(({ law, fails, runs }) => `"${law}" rejects '${name}' in ${fails} of ${runs} runs`),
  )
  const small = grossMistakes.flatMap(({ name }) =>
    (findingsOf(done, 'gross', name) ?? [])
      .filter(({ size }) => size !== undefined && size.size < size.promised)
      .map(({ law }) => `"${law}" does not promise to see '${name}'`),
  )
  const refused = correct.flatMap(({ name }) =>
    (findingsOf(done, 'default', name) ?? [])
      .filter(({ fails, threw }) => fails + threw > 0)
      .map(({ law }) => `"${law}" refuses '${name}', which is correct`),
  )
  const often = countsOf(done)
    .filter(
      ({ runs, rate, fails, most }) =>
        fails > mostFailures(runs, rate) || most > mostFailures(CORRECT_RUNS, rate),
    )
    .map(({ law, fails, runs }) => `"${law}" refuses correct watermarks in ${fails} of ${runs} runs`)
  return [...missed, ...rare, ...small, ...refused, ...often]
}

const minutes = (done: Done, part: Part): string => {
  const own = jobs.flatMap((job, i) => (job.part === part ? (done[i] ?? []) : []))
  return `${Math.ceil(own.reduce((sum, finding) => sum + finding.runs * finding.seconds, 0) / 60)} min`
}

/** Parts that have not run to their end, in words. */
function unfinished(done: Done): string[] {
  const parts = PARTS.flatMap((part) => {
    const own = jobs.flatMap((job, i) => (job.part === part ? [done[i]] : []))
    const missing = own.filter((findings) => findings === undefined).length
    return missing === 0 ? [] : [`${part} (${missing} of ${own.length} jobs)`]
  })
  return parts.length === 0
    ? []
    : [`**Not run yet**, and missing from the tables below: ${parts.join(', ')}.`, '']
}

export function killTable(seed: number, done: Done): string {
  const families = [...new Set(allMutants.map(({ family }) => family))]
  return [
    '# Mutants',
    '',
    'Wrong watermarks, each a small change of a correct one, against every law: at default settings (miss 1e-9) where the suite requires',
    'that the law rejects it, at the quick effort elsewhere. X: rejected, bold where required; E: the watermark refused with an',
    'error before the law could find anything; a dot: passed; blank: does not apply. The last columns are about the first law that is',
    'required: secret keys, shrinking included, and seconds of processor time. `npm run mutants` writes this page;',
    `\`npm run mutants -- --seed=${seed}\` gives the same verdicts again. Processor time of the parts: ${PARTS.map((part) => `${part} ${minutes(done, part)}`).join(', ')}.`,
    '',
    ...unfinished(done),
    ...summary(done),
    '',
    ...families.flatMap((family) => [
      `## ${family}`,
      '',
      grid(
        done,
        allMutants.filter((mutant) => mutant.family === family),
      ),
      '',
    ]),
    '## Gross mistakes, again and again',
    '',
    `Each in ${GROSS_RUNS} runs with fresh seeds at default settings (miss 1e-3), under the law that must reject it. A mistake of at least the`,
    'size in the last column is seen with probability at least 0.999, by the computation of the law; 0 stands for a comparison that is not',
    'sampled. Sizes "at least" are lower confidence bounds from fresh keys, false with probability 1e-6.',
    '',
    gross(done),
    '',
    '## Correct watermarks',
    '',
    'Unusual, and right: every law accepts them at default settings.',
    '',
    accepted(done),
    '',
    `A false-alarm rate of 1e-9 cannot be counted. At ${100 * COUNTED_FALSE_ALARM}% for a whole run, the quick effort and vocabularies of at most 1,000 tokens it can:`,
    `each of them ${CORRECT_RUNS} times under each law. "At most" is what a law that keeps its share exceeds with probability 1e-9.`,
    '',
    counts(done),
    '',
    '## What the default settings need not see',
    '',
    'Sampled laws promise to see biases of a stated size. Smaller mistakes, and mistakes elsewhere, pass in some runs or in all, unless an',
    'orbit or a list of codes makes them exact:',
    '',
    unseen(),
    '',
    grid(done, tried.slice(allMutants.length)),
    '',
  ].join('\n')
}
