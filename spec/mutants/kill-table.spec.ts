/** The report of `npm run mutants`, from results that are made up: what it counts and what it calls a problem. */
import { expect, test } from 'vitest'
import { allLaws } from '../../src/gate/laws/entry.ts'
import { allMutants, grossMistakes, tried } from './all.ts'
import { correct } from './correct.ts'
import { type Finding, GROSS_RUNS, type Job, jobs, seedOf } from './jobs.ts'
import { killTable, mostFailures, problems } from './kill-table.ts'
import { law } from './mutant.ts'

const finding = (name: string, runs: number, fails: number): Finding => ({
  law: name,
  runs,
  fails,
  threw: 0,
  notApplicable: 0,
  keys: 10,
  seconds: 1,
})
/** Everything as it must be: mutants are rejected by the laws that they name, correct ones pass. */
function asRequired({ part, name }: Job): Finding[] {
  if (part === 'gross') return [finding(law.keys, GROSS_RUNS, GROSS_RUNS)]
  const killedBy = part === 'table' ? tried.find((mutant) => mutant.name === name)!.killedBy : []
  return allLaws.map((one) =>
    finding(one.name, part === 'counts' ? 200 : 1, killedBy.includes(one.name) ? 1 : 0),
  )
}
const done = jobs.map(asRequired)
const changed = (part: Job['part'], name: string, findings: Finding[]) =>
  done.map((old, i) => (jobs[i]!.part === part && jobs[i]!.name === name ? findings : old))

test('there are as many as the project asks for', () => {
  expect(allMutants.length).toBeGreaterThanOrEqual(128 + 60)
  expect(correct.filter(({ laws }) => laws.length === allLaws.length).length).toBeGreaterThanOrEqual(25)
})

test('each job has a name of its own', () => {
  expect(new Set(jobs.map(({ part, name }) => `${part}: ${name}`)).size).toBe(jobs.length)
})

test('seeds of runs differ and repeat', () => {
  const seeds = Array.from({ length: 1000 }, (_, run) => seedOf(7, 'a mutant', run))
  expect(new Set(seeds).size).toBe(1000)
  expect(seedOf(7, 'a mutant', 3)).toBe(seeds[3])
  expect(seeds.every((seed) => seed === (seed | 0))).toBe(true)
})

test('nothing is a problem where all is as required', () => {
  expect(problems(done)).toEqual([])
  expect(problems(jobs.map(() => undefined))).toEqual([])
  const report = killTable(7, done)
  expect(report).toContain(`${allMutants.length} of ${allMutants.length} mutants are rejected.`)
  for (const { name } of [...tried, ...correct]) expect(report).toContain(`| ${name} |`)
})

test('what has not run is said', () => {
  expect(killTable(7, done)).not.toContain('Not run yet')
  const counted = jobs.filter(({ part }) => part === 'counts').length
  const some = done.map((findings, i) => (jobs[i]!.part === 'counts' ? undefined : findings))
  expect(killTable(7, some)).toContain(
    `**Not run yet**, and missing from the tables below: counts (${counted} of ${counted} jobs).`,
  )
})

test('a mutant that passes is a problem', () => {
  const { name, killedBy } = allMutants[0]!
  const passed = changed('table', name, [finding(killedBy[0]!, 1, 0)])
  expect(problems(passed)).toEqual([`"${killedBy[0]}" must reject '${name}'`])
})

test('a gross mistake that passes once is a problem', () => {
  const { name } = grossMistakes[0]!
  expect(problems(changed('gross', name, [finding(law.keys, 30, 29)]))).toEqual([
    `"${law.keys}" rejects '${name}' in 29 of 30 runs`,
  ])
})

test('so is one that is smaller than what is promised', () => {
  const { name } = grossMistakes[0]!
  const gross = (size: number): Finding => ({
    ...finding(law.keys, GROSS_RUNS, GROSS_RUNS),
    size: { where: 'bias', size, promised: 0.03 },
  })
  expect(problems(changed('gross', name, [gross(0.03)]))).toEqual([])
  expect(problems(changed('gross', name, [gross(0.029)]))).toEqual([
    `"${law.keys}" does not promise to see '${name}'`,
  ])
})

test('so is a correct watermark that is refused, or refused too often', () => {
  const { name } = correct[0]!
  expect(problems(changed('default', name, [finding(law.keys, 1, 1)]))).toHaveLength(1)
  expect(problems(changed('counts', name, [finding(law.keys, 200, 5)]))).toEqual([])
  expect(problems(changed('counts', name, [finding(law.keys, 200, 40)]))).toHaveLength(1)
  // an exact law has no false alarms to count
  expect(problems(changed('counts', name, [finding(law.orbit, 200, 1)]))).toHaveLength(1)
})

test('the most failures that a rate allows', () => {
  expect(mostFailures(200, 0)).toBe(0)
  // P(X >= 14) = 2.6e-11 and P(X >= 12) = 2.6e-9 for 200 trials at 0.5%
  expect(mostFailures(200, 0.005)).toBeGreaterThanOrEqual(11)
  expect(mostFailures(200, 0.005)).toBeLessThanOrEqual(13)
})
