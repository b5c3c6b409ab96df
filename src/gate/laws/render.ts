/** Results as text: a table for a terminal, and the message of a failing law. */
import { list, oneOf, wrongType } from '../../input.ts'
import type { Watermark } from '../../watermark.ts'
import { allLaws } from './all-laws.ts'
import type { LawEvidence, LawResult, Promised, Suspicion } from './law.ts'

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
 * Prints promises by size of vocabulary. If more is seen in smaller ones, the first size stands for all up to it, as does the last of several at
 * which the same is promised: `0.02 or more on up to 16 tokens, 0.03 on 257`.
 */
function renderPromises(promises: readonly Promised[]): string {
  const sorted = promises.toSorted((a, b) => a.vocabSize - b.vocabSize)
  const grows = sorted.every(({ bias }, i) => i === 0 || bias >= sorted[i - 1]!.bias)
  const told = grows ? sorted.filter(({ bias }, i) => bias !== sorted[i + 1]?.bias) : sorted
  return told
    .map(({ vocabSize, bias }, i) => {
      const several = sorted.filter((one) => one.bias === bias).length > 1
      const size = `${grows && (several || i === 0) ? 'up to ' : ''}${vocabSize.toLocaleString('en')}`
      return i === 0 ? `${short(bias)} or more on ${size} tokens` : `${short(bias)} on ${size}`
    })
    .join(', ')
}

/** Prints the bias that is certain to be seen, per size of vocabulary where it depends on it. */
const renderSeen = ({ smallestBias, promises }: Extract<LawEvidence, { kind: 'sampled' }>): string =>
  promises === undefined || promises.length === 0
    ? `${short(smallestBias)} or more`
    : renderPromises(promises)

/** Laws whose sampled error is the bias of the mean of q. */
const OF_BIAS: readonly string[] = [
  'unbiased over keys',
  'warped first, then marked',
  'unbiased for every message',
  'shown biased',
]
const isOfBias = (law: string): boolean => OF_BIAS.includes(law)

const plusMinus = ({ estimate, error }: Suspicion): string =>
  `${+Math.abs(estimate).toPrecision(2)} +- ${+error.toPrecision(1)}`

/** Says what a suspicion is and what to do about it. */
export const renderSuspicion = (suspicious: Suspicion): string =>
  `suspicious: a bias of ${plusMinus(suspicious)}, neither confirmed nor ruled out; rerun with --bias ${+(Math.abs(suspicious.estimate) / 2).toPrecision(1)}`

/** Prints the evidence of a verdict in a few words. */
export function renderEvidence({
  law,
  verdict,
  evidence,
  suspicious,
}: Pick<LawResult, 'law' | 'verdict' | 'evidence' | 'suspicious'>): string {
  if (evidence === undefined) return ''
  if (evidence.kind === 'exact') return `exact, ${evidence.cases} cases`
  const { spent } = evidence
  const keys = spent
    ? `${spent.requests.toLocaleString('en')} requests, ${spent.tokens.toLocaleString('en')} tokens`
    : `${evidence.keys.toLocaleString('en')} keys`
  if (law === 'shown biased' && verdict === 'holds') return `sampled with ${keys}`
  const seen = `no ${isOfBias(law) ? 'bias' : 'error'} of ${renderSeen(evidence)}`
  const parts = [`sampled with ${keys}: ${seen}; smaller ones can pass`]
  if (suspicious !== undefined) parts.push(renderSuspicion(suspicious))
  return parts.join('; ')
}

/** A quarter of the bias that was looked for, as an option. */
const finer = (bias: number): string => `${+(bias / 4).toPrecision(1)}`

/** Says what results mean and what could still pass: the last lines of a check. */
export function renderMeaning(id: string, results: readonly LawResult[]): string {
  const applied = results.filter(({ verdict }) => verdict !== 'not applicable')
  const held = applied.filter(({ verdict }) => verdict === 'holds')
  const lines = [
    `${id}: ${held.length} of ${applied.length} ${applied.length === 1 ? 'law holds' : 'laws hold'}`,
  ]
  const evidence = held.find(({ law }) => law === 'unbiased over keys')?.evidence
  if (evidence?.kind === 'sampled') {
    const exactly = results.find(({ law }) => law === 'unbiased, exactly')
    const bias = `pass --bias ${finer(evidence.smallestBias)}`
    lines.push(`No bias of ${renderSeen(evidence)} (sampled; smaller ones can pass).`)
    if (exactly?.verdict === 'holds')
      lines.push(
        'Over the declared orbit, or over every code, the bias is exactly 0 on the distributions tested.',
      )
    else if (exactly?.verdict === 'not applicable')
      lines.push(`Declare an orbit for an exact check, or ${bias}.`)
    else lines.push(`To see smaller ones, check the law "unbiased, exactly" too, or ${bias}.`)
  }
  for (const { law, suspicious } of held)
    if (suspicious !== undefined)
      lines.push(`"${law}" is ${renderSuspicion(suspicious)}, or fail on it with --strict`)
  return lines.join('\n')
}

/** A word as a shell reads it back. */
export const quoted = (word: string): string =>
  /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

/** The same result, whose counterexample is replayed by a command that begins with `check`. */
export function replayedBy(check: string, result: LawResult): LawResult {
  const { counterexample, law } = result
  if (counterexample === undefined) return result
  const { seed, path } = counterexample
  const replay = `${check} --law ${quoted(law)} --seed=${seed}${path === '' ? '' : ` --path ${path}`}`
  return { ...result, counterexample: { ...counterexample, replay } }
}

/** The two error rates of a sampled verdict, as a sentence. */
function renderRates({ law, evidence }: Pick<LawResult, 'law' | 'evidence'>): string {
  if (evidence === undefined) return ''
  if (evidence.kind === 'exact') return 'exact: no chance of a false alarm'
  const { falseAlarm, miss, smallestBias, promises } = evidence
  const error = isOfBias(law) ? 'a bias' : 'an error'
  return (
    `a correct watermark fails this law with probability at most ${short(falseAlarm)}; ` +
    `${error} of at least ${short(smallestBias)} passes it with probability at most ${short(miss)}` +
    (promises === undefined ? '' : ` (${renderSeen(evidence)})`)
  )
}

const idOf = (watermark: Pick<Watermark, 'id'>): string => {
  if (typeof watermark?.id !== 'string')
    throw wrongType('watermark', 'a watermark, or its id: { id }', watermark)
  return watermark.id
}

const isNumber = (value: unknown): boolean => typeof value === 'number' && !Number.isNaN(value)

/** Checks the parts of a result that are printed. */
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
  const observed = evidence?.kind === 'sampled' && isOfBias(law) ? short(evidence.observedBias) : undefined
  const parts: [string, string | undefined][] = [
    ['law', statement],
    ['found', detail],
    ['p', counterexample?.p && renderList(counterexample.p)],
    ['with', counterexample?.also],
    ['observed bias', observed],
    ['error rates', renderRates(result) || undefined],
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
  const rows = all.map((result) => [
    marks[result.verdict],
    result.law,
    result.verdict === 'fails' ? '' : remark(renderEvidence(result), result.detail),
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
