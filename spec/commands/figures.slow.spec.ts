/** Charts for a paper: widths of columns, and PDF with vector fonts through a Chromium. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toJson } from '../../src/bench/report/write.ts'
import { findChromium } from '../../src/cli/commands/chromium.ts'
import { sample } from '../report/sample.ts'
import { requireComponent } from '../require.ts'
import { inProcess } from './in-process.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder('figures')
const reports = join(folder, 'reports')
const [chart] = sample.charts
mkdirSync(reports)
writeFileSync(join(reports, 'sample.json'), toJson({ ...sample, charts: [chart!] }))

test('--figures: SVG as wide as one column or two', async () => {
  for (const [column, width] of [
    ['single', 320],
    ['double', 672],
  ] as const) {
    const out = join(folder, column)
    const { status, stdout } = await inProcess(['report', reports, '--figures', out, '--column', column])
    expect(status).toBe(0)
    expect(stdout).toContain(join(out, 'sample-axes.svg'))
    expect(readFileSync(join(out, 'sample-axes.svg'), 'utf8')).toContain(`viewBox="0 0 ${width} `)
  }
})

test('--pdf: one page of that size, with its fonts inside', async (context) => {
  requireComponent(context, 'chromium', findChromium() !== undefined, 'apt-get install chromium')
  const out = join(folder, 'pdf')
  const { status } = await inProcess(['report', reports, '--figures', out, '--pdf', '--column', 'single'])
  expect(status).toBe(0)
  expect(readdirSync(out)).toEqual(['sample-axes.pdf'])
  const pdf = readFileSync(join(out, 'sample-axes.pdf'), 'latin1')
  expect(pdf.match(/\/Type \/Page\b/g)).toHaveLength(1)
  // 320 pixels of 1/96 inch are 240 points
  expect(pdf).toMatch(/\/MediaBox \[0 0 240 /)
  expect(pdf).toMatch(/\/FontFile2/)
})

test.each([
  ['report.name', { name: '../../pwned' }],
  ['chart.id', { charts: [{ ...chart!, id: '/../../pwned' }] }],
])('a %s that leaves the folder of figures is refused', async (argument, changed) => {
  const hostile = join(folder, argument)
  mkdirSync(hostile)
  writeFileSync(join(hostile, 'a.json'), toJson({ ...sample, charts: [chart!], ...changed }))
  const { status, stderr } = await inProcess(['report', hostile, '--figures', join(hostile, 'a', 'b', 'c')])
  expect(status).toBe(2)
  expect(stderr).toContain(`${argument}: expected a file name of letters, digits and dashes, got '`)
  expect(readdirSync(hostile, { recursive: true }).filter((name) => `${name}`.includes('pwned'))).toEqual([])
})

test('mistakes in the call are named', async () => {
  const run = (...args: string[]) => inProcess(['report', reports, ...args])
  expect((await run('--pdf')).stderr).toContain('--pdf and --column need --figures OUT')
  expect((await run('--figures', join(folder, 'x'), '--column', 'triple')).stderr).toContain(
    "--column: expected one of 'single', 'double'",
  )
  const before = process.env.CHROMIUM
  process.env.CHROMIUM = '/no/such/program'
  try {
    expect((await run('--figures', join(folder, 'x'), '--pdf')).stderr).toContain('--pdf needs a Chromium')
  } finally {
    if (before === undefined) delete process.env.CHROMIUM
    else process.env.CHROMIUM = before
  }
})
