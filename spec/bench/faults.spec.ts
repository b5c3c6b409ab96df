/** Full disks and kills at every call that changes a file, in the store and in reports. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { runCells } from '../../src/bench/cells/runner.ts'
import { openStore } from '../../src/bench/cells/store.ts'
import type { Report } from '../../src/bench/report/report.ts'
import { writeIndex, writeReport, writeRun } from '../../src/bench/report/write.ts'
import { faults, withFault } from '../faults.ts'
import { sample } from '../report/sample.ts'
import { expectedTotal, grid, stepsUrl } from './grid.ts'

const root = mkdtempSync(join(tmpdir(), 'uwbench-faults-'))
afterAll(() => rmSync(root, { recursive: true }))
const silent = { done() {}, warn() {}, end() {} }

/** Names and contents of all files, drafts apart; what cells cost differs from run to run. */
function contents(folder: string) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), 'utf8')] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    whole: files.filter(([name]) => !name.endsWith('.tmp') && name !== 'costs.json'),
    drafts: files.filter(([name]) => name.endsWith('.tmp')).length,
  }
}

describe('the store', () => {
  const { pairs, total } = grid(5)
  const run = (folder: string, warnings: string[] = []) =>
    runCells([...pairs, total], {
      steps: stepsUrl,
      store: openStore(folder, { warn: (message) => warnings.push(message) }),
      workers: 0,
      progress: silent,
    })

  test('a fault at every call: entries stay whole, a rerun gives the same bytes', async () => {
    const clean = join(root, 'clean')
    const { calls } = await withFault(() => run(clean), 'killed before', Number.POSITIVE_INFINITY)
    expect(calls).toBeGreaterThanOrEqual(30) // 10 cells: a folder, a draft and a rename each
    const expected = contents(clean).whole
    for (const fault of faults)
      for (let at = 1; at <= calls; at++) {
        const folder = join(root, `${fault}-${at}`)
        mkdirSync(folder)
        const warnings: string[] = []
        const { value } = await withFault(() => run(folder, warnings), fault, at)
        const where = `${fault} ${at}`
        if (fault.startsWith('full')) {
          // nothing computed is lost: the run ends with its result, in memory, and says so
          expect(value?.value(total), where).toBe(expectedTotal(5))
          // the last call is a rename, which a full disk allows
          if (at < calls) expect(warnings.join(), where).toContain('ENOSPC')
          expect(contents(folder).drafts, where).toBe(0)
        }
        for (const entry of contents(folder).whole) expect(expected, where).toContainEqual(entry)
        const complaints: string[] = []
        const again = await run(folder, complaints)
        expect(again.value(total), where).toBe(expectedTotal(5))
        expect(complaints, where).toEqual([])
        expect(contents(folder).whole, where).toEqual(expected)
      }
  })

  test('a read-only folder: what existed stays whole, the result is there, once warned', async () => {
    const folder = join(root, 'read-only')
    await runCells(pairs.slice(0, 2), {
      steps: stepsUrl,
      store: openStore(folder),
      workers: 0,
      progress: silent,
    })
    const were = contents(folder)
    const warnings: string[] = []
    const { value } = await withFault(() => run(folder, warnings), 'read-only', 1)
    expect(value?.value(total)).toBe(expectedTotal(5))
    expect(warnings[0]).toMatch(/^store: \S+: cannot write \(EROFS: .*\); results are kept in memory$/)
    expect(warnings[1]).toMatch(/cells could not be written and will be computed again by the next run/)
    expect(warnings).toHaveLength(2)
    expect(contents(folder)).toEqual(were)
  })

  test('a disk that has space again: what was kept in memory is written', async () => {
    const folder = join(root, 'short')
    const warnings: string[] = []
    const { value } = await withFault(() => run(folder, warnings), 'full inside', 4, 9)
    expect(value?.value(total)).toBe(expectedTotal(5))
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatch(/^store: \S+: cannot write \(ENOSPC: .*\); results are kept in memory$/)
    expect(contents(folder)).toEqual(contents(join(root, 'clean')))
  })
})

describe('reports', () => {
  const chart = sample.charts[0]!
  const before: Report = { ...sample, title: 'Before', charts: [chart, { ...chart, id: 'gone' }] }
  const after: Report = { ...sample, title: 'After' }
  const write = async (folder: string, report: Report) => {
    await writeReport(report, folder)
    writeIndex(folder)
    writeRun(folder, { date: '2000-01-01', seconds: 1 })
  }

  test('a fault at every call: each file is the old or the new one, a rerun gives the same bytes', async () => {
    const [old, clean] = [join(root, 'old'), join(root, 'new')]
    await write(old, before)
    cpSync(old, clean, { recursive: true })
    const { calls } = await withFault(() => write(clean, after), 'killed before', Number.POSITIVE_INFINITY)
    expect(calls).toBeGreaterThanOrEqual(14)
    const [were, are] = [contents(old).whole, contents(clean).whole]
    expect(were).not.toEqual(are)
    for (const fault of faults)
      for (let at = 1; at <= calls; at++) {
        const folder = join(root, `report-${fault}-${at}`)
        const where = `${fault} ${at}`
        cpSync(old, folder, { recursive: true })
        const { error } = await withFault(() => write(folder, after), fault, at)
        if (fault.startsWith('killed')) expect(error, where).toBeInstanceOf(Error)
        else if (error) {
          expect(error.message, where).toMatch(/ENOSPC/)
          expect(contents(folder).drafts, where).toBe(0)
        }
        for (const file of contents(folder).whole)
          expect(
            [...were, ...are].some((one) => one[0] === file[0] && one[1] === file[1]),
            `${where}: ${file[0]}`,
          ).toBe(true)
        await write(folder, after)
        expect(contents(folder).whole, where).toEqual(are)
      }
  })

  test('a read-only folder: all files of the old report stay, and the error names one', async () => {
    const folder = join(root, 'read-only-report')
    await write(folder, before)
    const were = contents(folder)
    for (const work of [() => writeReport(after, folder), () => writeIndex(folder)]) {
      const { error } = await withFault(work, 'read-only', 1)
      expect(error?.message).toMatch(/read-only-report.*(EROFS: read-only file system)/)
      expect(contents(folder)).toEqual(were)
    }
  })

  test('a report that cannot be written leaves all files of the old one, and names the file', async () => {
    const folder = join(root, 'full')
    await writeReport(before, folder)
    const were = contents(folder)
    // the folder, then four drafts: the third of them fails
    const { error } = await withFault(() => writeReport(after, folder), 'full inside', 4)
    expect(error?.message).toMatch(/sample\.csv: cannot write \(ENOSPC: no space left on device\)$/)
    expect(contents(folder)).toEqual(were)
  })
})
