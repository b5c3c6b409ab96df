/**
 * Prints the statements of the theorems project as a table, and writes it to reports/theorems.md once all of them were
 * run. A statement counts as checked when its test passed *and* the false variant was rejected; nothing else is called so.
 */
import { readdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import type { StatementMeta } from './statement.ts'

interface Row extends StatementMeta {
  readonly result: 'holds' | 'FAILS'
}

const here = fileURLToPath(new URL('.', import.meta.url))
const report = fileURLToPath(new URL('../../reports/theorems.md', import.meta.url))

/** The two tests of each statement, in the order of the files. */
function rowsOf(tests: readonly TestCase[]): Row[] {
  const rows = new Map<string, Row>()
  for (const test of tests) {
    const meta = test.meta().statement
    if (meta === undefined) continue
    const key = `${meta.section}\n${meta.statement}`
    const passed = test.result().state === 'passed' && rows.get(key)?.result !== 'FAILS'
    rows.set(key, { ...rows.get(key), ...meta, result: passed ? 'holds' : 'FAILS' })
  }
  // both halves must have been there
  return [...rows.values()].map((row) =>
    row.found === undefined || row.falsehood === undefined ? { ...row, result: 'FAILS' } : row,
  )
}

function markdown(rows: readonly Row[]): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|')
  const sections = [...new Set(rows.map((row) => row.section))].map((title) => {
    const lines = rows
      .filter((row) => row.section === title)
      .map((r) => [r.statement, r.how, r.falsehood ?? '', r.found ?? '', r.result].map(cell).join(' | '))
    return `## ${title}\n\n| statement | how it was checked | false variant rejected | found | result |\n| --- | --- | --- | --- | --- |\n${lines.map((line) => `| ${line} |`).join('\n')}\n`
  })
  return `# The theory, checked

Written by \`npx vitest run --project=theorems\`. *exact*: both sides computed, to rounding, on random inputs that shrink.
*bounded*: an inequality whose two sides are computed. *simulated*: sampled, with the error rates stated. A statement
holds only if its check passed and the same check rejected the false variant.

${sections.join('\n')}`
}

export default class TheoremsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const own = modules
      .filter((module) => module.project.name === 'theorems')
      .toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1))
    const tests = own.flatMap((module) => [...module.children.allTests()])
    const rows = rowsOf(tests.filter((test) => test.result().state !== 'skipped'))
    if (rows.length === 0) return
    const width = Math.max(...rows.map((row) => row.statement.length))
    for (const row of rows)
      console.log(`${row.result.padEnd(6)} ${row.statement.padEnd(width)}  ${row.how.split(/[:;,]/)[0]}`)
    const files = readdirSync(here).filter((name) => name.endsWith('.spec.ts'))
    const complete = files.length === own.length && tests.every((test) => test.result().state !== 'skipped')
    if (complete) writeFileSync(report, markdown(rows))
  }
}
