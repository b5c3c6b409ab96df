/** Results of `uwbench check` as files: JUnit XML for CI systems, Markdown for people. */
import { markup, printable } from '../../bench/report/index.ts'
import {
  allLaws,
  type LawResult,
  renderEvidence,
  renderFailure,
  renderMeaning,
} from '../../gate/laws/index.ts'
import type { Checked } from './checked.ts'

/** Escapes a text and keeps its line breaks. */
const xml = (text: string): string => text.split('\n').map(markup).join('\n')

function testCase(id: string, result: LawResult): string {
  const open = `    <testcase classname="${markup(id)}" name="${markup(result.law)}"`
  if (result.verdict === 'holds') return `${open}/>`
  const inside =
    result.verdict === 'fails'
      ? `<failure message="${markup(result.detail)}">${xml(renderFailure({ id }, result))}</failure>`
      : `<skipped message="${markup(`not applicable: ${result.detail}`)}"/>`
  return `${open}>\n      ${inside}\n    </testcase>`
}

const count = (results: readonly LawResult[], verdict: LawResult['verdict']): number =>
  results.filter((one) => one.verdict === verdict).length

/** Returns JUnit XML: a suite per watermark, a test per law. */
export function junit(checked: readonly Checked[]): string {
  const suites = checked.map(({ id, results }) => {
    const numbers = `tests="${results.length}" failures="${count(results, 'fails')}" skipped="${count(results, 'not applicable')}" errors="0"`
    const cases = results.map((result) => testCase(id, result))
    return `  <testsuite name="${markup(id)}" ${numbers}>\n${cases.join('\n')}\n  </testsuite>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('\n')}\n</testsuites>\n`
}

/** Escapes a text for a cell of a Markdown table. */
const cell = (text: string): string => printable(text).replace(/[\\|`*_<>[\]]/g, '\\$&')

const marks = { holds: 'holds', fails: '**FAILS**', 'not applicable': 'n/a' } as const

function row(result: LawResult): string {
  const { law, verdict, detail } = result
  const reason = verdict === 'holds' ? renderEvidence(result) : detail
  const statement = allLaws.find(({ name }) => name === law)?.statement ?? ''
  return `| ${marks[verdict]} | ${cell(law)} | ${cell(statement)} | ${cell(reason)} |`
}

/** Fences a text with more backticks than it holds. */
function block(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}text\n${text}\n${fence}`
}

/** Returns Markdown: per watermark the table of laws with their evidence, then each counterexample and how to replay it. */
export function summary(checked: readonly Checked[], seed: number): string {
  const parts = checked.map(({ id, results }) => {
    const fails = count(results, 'fails')
    const verdict =
      fails === 0 ? 'every law holds' : `${fails} of ${results.length} laws ${fails === 1 ? 'fails' : 'fail'}`
    const failures = results
      .filter((one) => one.verdict === 'fails')
      .map((result) => `\n${block(renderFailure({ id }, result))}\n`)
    return [
      `## ${cell(id)}: ${verdict}`,
      '',
      '| verdict | law | statement | evidence |',
      '|---|---|---|---|',
      ...results.map(row),
      '',
      ...renderMeaning(id, results).split('\n').map(cell),
      ...failures,
    ].join('\n')
  })
  return `${parts.join('\n\n')}\n\nseed ${seed}\n`
}
