import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const repository = fileURLToPath(new URL('../..', import.meta.url))
// inside the repository, so that imports of packages resolve
const folder = mkdtempSync(join(repository, 'node_modules', '.uwbench-match-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A project with one test that compares a report: 180 hits, or as many as the environment says. */
beforeAll(() => {
  const spec = `
    import { expect, test } from 'vitest'
    import { toMatchReport } from '${repository}src/gate/vitest/to-match-report.ts'
    import { writeReport } from '${repository}src/bench/report/write.ts'
    expect.extend({ toMatchReport })
    test('a table', async ({ task, annotate }) => {
      await annotate('half of it', 'progress')
      const hits = Number(process.env.HITS)
      const value = { kind: 'proportion', value: hits / 200, hits, n: 200, low: 0, high: 1 }
      const columns = ['tpr', ...(process.env.PARTS ? ['round'] : [])].map((id) => ({ id, label: id, unit: 'percent' }))
      const cells = Object.fromEntries(columns.map(({ id }) => [id, value]))
      const table = { id: 't', title: 'T', columns, rows: [{ id: 'kgw', label: 'KGW', family: 'kgw', cells }] }
      const report = { name: 'tab', title: 'Tab', summary: ['All is well.'], scale: 'toy', standIns: JSON.parse(process.env.PARTS || '[]'), notes: [], tables: [table], charts: [], provenance: {} }
      await writeReport(report, '${folder}/reports')
      Object.assign(task.meta, { bench: { scale: 'toy', folder: '${folder}/reports', computed: 3, reused: 4, missing: 0, seconds: 1 } })
      await expect(report).toMatchReport({ falseAlarm: 1e-4 })
    })`
  mkdirSync(join(folder, 'spec'))
  writeFileSync(join(folder, 'spec', 'a.spec.ts'), spec)
  writeFileSync(
    join(folder, 'vitest.config.ts'),
    `export default { test: { reporters: ['default', '${repository}src/gate/vitest/reporter.ts'] } }`,
  )
})

const accepted = () => join(folder, 'spec', '__reports__', 'toy', 'tab.json')

function run(
  hits: number,
  args: readonly string[] = [],
  ci = '',
  parts: readonly object[] = [],
): { status: number | null; output: string } {
  const vitest = join(repository, 'node_modules', 'vitest', 'vitest.mjs')
  const env = {
    ...process.env,
    HITS: String(hits),
    PARTS: parts.length > 0 ? JSON.stringify(parts) : '',
    CI: ci,
    NO_COLOR: '1',
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [vitest, 'run', '--root', folder, ...args], {
    env,
    encoding: 'utf8',
  })
  return { status, output: stdout + stderr }
}

describe('toMatchReport in a run of vitest', () => {
  test('CI has nothing to compare with: a failure that says what to do', () => {
    const { status, output } = run(180, [], 'true')
    expect(status).toBe(1)
    expect(output).toContain('no accepted report at')
    expect(existsSync(accepted())).toBe(false)
  })

  test('the first run writes, an honest rerun passes and changes nothing', () => {
    expect(run(180).status).toBe(0)
    const before = readFileSync(accepted(), 'utf8')
    expect(JSON.parse(before).tables[0].rows[0].cells.tpr.hits).toBe(180)
    expect(run(172, [], 'true').status).toBe(0)
    expect(readFileSync(accepted(), 'utf8')).toBe(before)
  })

  test('a machine with one more part: what both have is compared', () => {
    const parts = [{ paper: 'DIPPER, once more', here: 'Apertium' }]
    expect(run(180, [], '', parts).status).toBe(0)
    const { status, output } = run(20, [], '', parts)
    expect(output).toContain('1 of 1 cell differs')
    expect(status).toBe(1)
  })

  test('a report whose parts were made by other means cannot be compared and fails', () => {
    const before = readFileSync(accepted(), 'utf8')
    const made = (here: string) => [{ paper: 'a BERT encoder', here }]
    expect(run(180, ['-u'], '', made('MiniLM')).status).toBe(0)
    const { status, output } = run(20, [], '', made('hidden states'))
    expect(output).toContain(
      'not compared with the accepted report, which rests on MiniLM; here: hidden states',
    )
    expect(status).toBe(1)
    expect(run(20, [], '', made('MiniLM')).status).toBe(1)
    writeFileSync(accepted(), before)
  })

  test('two reports that share no cell fail', () => {
    const before = readFileSync(accepted(), 'utf8')
    const parts = [{ paper: 'DIPPER, once more', here: 'Apertium' }]
    for (const tables of [[], [{ ...JSON.parse(before).tables[0], id: 'other' }]]) {
      writeFileSync(accepted(), JSON.stringify({ ...JSON.parse(before), tables }))
      const { status, output } = run(180, [], '', parts)
      expect(output).toContain('tab: nothing to compare')
      expect(status).toBe(1)
    }
    writeFileSync(accepted(), before)
  })

  test('a real change fails, with the cell and the rate; -u accepts it', () => {
    const { status, output } = run(120)
    expect(status).toBe(1)
    expect(output).toContain('t / kgw / tpr: accepted 90.0')
    expect(output).toContain('An honest rerun fails with probability at most 0.0001')
    expect(run(120, ['-u']).status).toBe(0)
    expect(run(120).status).toBe(0)
    expect(JSON.parse(readFileSync(accepted(), 'utf8')).tables[0].rows[0].cells.tpr.hits).toBe(120)
  })

  test('the reporter shows progress and summary, and writes the page and run.json', () => {
    const { output } = run(120)
    expect(output).toContain('half of it')
    expect(output).toContain('All is well.')
    expect(readFileSync(join(folder, 'reports', 'index.html'), 'utf8')).toContain('<h2>Tab</h2>')
    const { date, ...rest } = JSON.parse(readFileSync(join(folder, 'reports', 'run.json'), 'utf8'))
    expect(rest).toEqual({ seconds: 1, scale: 'toy', 'cells computed': 3, 'cells reused': 4 })
    expect(Date.parse(date)).toBeGreaterThan(0)
  })
})
