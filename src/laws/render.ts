/** Results as text: a table for a terminal, and the message of a failing law. */
import { list, oneOf, wrongType } from '../input.ts'
import type { Watermark } from '../watermark.ts'
import { allLaws } from './all-laws.ts'
import type { LawEvidence, LawResult, Promised } from './law.ts'
import { ledger } from './ledger.ts'

const short = (x: number): string => (x === 0 ? '0' : `${+x.toPrecision(3)}`)

/** Longer distributions are printed with repetitions counted, and only their ends. */
const READABLE = 12

function renderList(values: readonly string[]): string {
  if (values.length <= READABLE) return `[${values.join(', ')}]`
  const runs: { readonly value: string; count: number }[] = []
  for (const value of values) {
    if (runs.at(-1)?.value === value) runs.at(-1)!.count++
    else runs.push({ value, count: 1 })
  }
  const parts = runs.map(({ value, count }) => (count === 1 ? value : `${count} times ${value}`))
  const ends = parts.length <= READABLE ? parts : [...parts.slice(0, READABLE - 2), '...', parts.at(-1)]
  return `[${ends.join(', ')}] (${values.length} tokens)`
}

/**
 * By size of vocabulary. Where more is seen in smaller ones, the first size stands for all up to it, as does the last of several at
 * which the same is promised: `0.02 at V <= 16, 0.03 at 257`.
 */
function renderPromises(promises: readonly Promised[]): string {
  const sorted = promises.toSorted((a, b) => a.vocabSize - b.vocabSize)
  const grows = sorted.every(({ bias }, i) => i === 0 || bias >= sorted[i - 1]!.bias)
  if (!grows)
    return sorted
      .map(({ vocabSize, bias }, i) => `${short(bias)} at ${i === 0 ? 'V = ' : ''}${vocabSize}`)
      .join(', ')
  const last = sorted.filter(({ bias }, i) => bias !== sorted[i + 1]?.bias)
  return last
    .map(({ vocabSize, bias }, i) => {
      const several = sorted.filter((one) => one.bias === bias).length > 1
      const size = vocabSize.toLocaleString('en')
      return `${short(bias)} at ${i === 0 ? 'V <= ' : several ? '<= ' : ''}${size}`
    })
    .join(', ')
}

/** The bias that is sure to be seen, per size of vocabulary where it depends on it. */
const renderSeen = ({ smallestBias, promises }: Extract<LawEvidence, { kind: 'sampled' }>): string =>
  promises === undefined || promises.length === 0 ? short(smallestBias) : renderPromises(promises)

/** On what a verdict rests, in a few words. */
export function renderEvidence(evidence: LawEvidence | undefined): string {
  if (evidence === undefined) return ''
  if (evidence.kind === 'exact') return `exact, ${evidence.cases} cases`
  const { keys, observedBias } = evidence
  return `${keys} keys, sees ${renderSeen(evidence)}, saw ${short(observedBias)}`
}

/** The two error rates of a sampled verdict, as a sentence. */
function renderRates(evidence: LawEvidence | undefined): string {
  if (evidence === undefined) return ''
  if (evidence.kind === 'exact') return 'exact: no chance of a false alarm'
  const { falseAlarm, miss, smallestBias, promises } = evidence
  return (
    `a correct watermark fails this law with probability at most ${short(falseAlarm)}; ` +
    `a bias of at least ${short(smallestBias)} passes it with probability at most ${short(miss)}` +
    (promises === undefined ? '' : ` (${renderSeen(evidence)})`)
  )
}

const idOf = (watermark: Pick<Watermark, 'id'>): string => {
  if (typeof watermark?.id !== 'string')
    throw wrongType('watermark', 'a watermark, or its id: { id }', watermark)
  return watermark.id
}

const isNumber = (value: unknown): boolean => typeof value === 'number' && !Number.isNaN(value)

/** What is printed of a result. */
function checkResult(name: string, result: LawResult): void {
  if (typeof result !== 'object' || result === null)
    throw wrongType(name, 'a result as checkWatermark returns it', result)
  const { law, verdict, detail, evidence, counterexample } = result
  if (typeof law !== 'string') throw wrongType(`${name}.law`, 'the name of a law', law)
  oneOf(`${name}.verdict`, verdict, ['holds', 'fails', 'not applicable'])
  if (typeof detail !== 'string') throw wrongType(`${name}.detail`, 'a string', detail)
  if (evidence !== undefined && !isEvidence(evidence))
    throw wrongType(`${name}.evidence`, "{ kind: 'exact', cases } or { kind: 'sampled', ... }", evidence)
  if (counterexample === undefined) return
  if (typeof counterexample !== 'object' || counterexample === null)
    throw wrongType(`${name}.counterexample`, 'an object with seed, path and replay', counterexample)
  if (counterexample.p !== undefined && !Array.isArray(counterexample.p))
    throw wrongType(`${name}.counterexample.p`, 'a list of fractions', counterexample.p)
}

function isEvidence(evidence: LawEvidence): boolean {
  if (evidence?.kind === 'exact') return isNumber(evidence.cases)
  if (evidence?.kind !== 'sampled') return false
  const { keys, falseAlarm, miss, smallestBias, observedBias, promises = [] } = evidence
  return (
    [keys, falseAlarm, miss, smallestBias, observedBias].every(isNumber) &&
    Array.isArray(promises) &&
    promises.every((one) => isNumber(one?.vocabSize) && isNumber(one.bias))
  )
}

/**
 * The message of a failing law: everything needed to understand it and to see it again.
 * @example renderFailure({ id: 'mine' }, { law: 'detectable', verdict: 'fails', detail: 'no text was detected' })
 */
export function renderFailure<Code>(watermark: Pick<Watermark<Code>, 'id'>, result: LawResult): string {
  const id = idOf(watermark)
  checkResult('result', result)
  const { law, detail, evidence, counterexample } = result
  const statement = allLaws.find(({ name }) => name === law)?.statement
  const observed = evidence?.kind === 'sampled' ? short(evidence.observedBias) : undefined
  const parts: [string, string | undefined][] = [
    ['law', statement],
    ['found', detail],
    ['p', counterexample?.p && renderList(counterexample.p)],
    ['with', counterexample?.also],
    ['observed bias', observed],
    ['error rates', renderRates(evidence) || undefined],
    ['seed', counterexample && `${counterexample.seed}, path ${counterexample.path || '(none)'}`],
    ['replay', counterexample?.replay],
  ]
  const lines = parts
    .filter(([, value]) => value !== undefined)
    .map(([label, value]) => `  ${`${label}:`.padEnd(15)}${value}`)
  return [`${id} breaks the law "${law}"`, ...lines].join('\n')
}

/** Evidence and detail, where the detail says more than the evidence does. */
const remark = (evidence: string, detail: string): string =>
  evidence.endsWith(detail) ? evidence : [evidence, detail].filter(Boolean).join('; ')

const marks = { holds: 'holds', fails: 'FAILS', 'not applicable': 'n/a' } as const

/**
 * Results as a table, one line per law, then the counterexamples in full.
 * @example
 * const results = [{ law: 'detectable', verdict: 'not applicable', detail: 'declares no detector' }]
 * renderVerdicts({ id: 'mine' }, results) // 'mine\n  n/a    detectable  declares no detector'
 */
export function renderVerdicts<Code>(
  watermark: Pick<Watermark<Code>, 'id'>,
  results: readonly LawResult[],
): string {
  const id = idOf(watermark)
  const all = Array.from(list<LawResult>('results', results, 'a list of results of laws'))
  if (all.length === 0) return id
  for (const [i, result] of all.entries()) checkResult(`results[${i}]`, result)
  const rows = all.map(({ law, verdict, detail, evidence }) => [
    marks[verdict],
    law,
    verdict === 'fails' ? '' : remark(renderEvidence(evidence), detail),
  ])
  const width = Math.max(...rows.map(([, law]) => law!.length))
  const lines = rows.map(([mark, law, rest]) =>
    `  ${mark!.padEnd(6)} ${law!.padEnd(width)}  ${rest}`.trimEnd(),
  )
  const failures = all
    .filter(({ verdict }) => verdict === 'fails')
    .map((result) => renderFailure(watermark, result))
  return [id, ...lines, ...failures.map((text) => `\n${text}`)].join('\n')
}

/** How a run's false-alarm rate is divided. */
export function renderLedger(falseAlarm: number): string {
  const entries = ledger(allLaws, falseAlarm)
  const width = Math.max(...entries.map(({ law }) => law.length))
  const lines = entries.map(
    (entry) => `  ${entry.law.padEnd(width)}  ${entry.falseAlarm === 0 ? 'exact' : short(entry.falseAlarm)}`,
  )
  return [`false alarm at most ${short(falseAlarm)} per run, divided:`, ...lines].join('\n')
}
