/**
 * Attacks that ask a detector. With p-values every answer ranks two texts, so edits are kept one by one while they help (greedy search, as Pang et al.,
 * "No Free Lunch in LLM Watermarking", NeurIPS 2024, do with scores). With decisions alone an answer says something only at the edge of
 * detection: to remove a mark, half-splitting finds the edge among random edits and then edits that were not needed are taken back (as Brendel et
 * al., "Decision-Based Adversarial Attacks", ICLR 2018, walk along the edge); to forge one, the attacker has to begin with a text that is detected and carries
 * its own words into it while the answer stays yes. From unmarked text decisions alone tell nothing.
 */

import { checkSeed, checkTokens, MAX_VOCAB, type Stream, seededRandom } from '../../core/keys/index.ts'
import {
  callable,
  text as checkText,
  integer,
  number,
  outOfRange,
  requireOptions,
  wrongType,
} from '../../input.ts'
import { editDistance } from './edit-distance.ts'

/** Answers whether a text is detected, or its p-value: a function of yours, or a server's `/detect` (`serverOracle`). */
export type Oracle = (tokens: readonly number[]) => boolean | number | Promise<boolean | number>

export interface OracleOptions {
  /** The most questions: at most 1,000,000. */
  readonly budget: number
  readonly vocabSize: number
  /** The level at which p-values decide. Default 0.01. */
  readonly alpha?: number
  readonly seed: number | string
  /** Proposes a token for a position; by default any token, each as likely. A model of the language keeps texts readable. */
  readonly propose?: (tokens: readonly number[], at: number, stream: Stream) => number
}

/** The outcome of an attack that asks a detector. */
export interface OracleAttacked {
  readonly tokens: number[]
  /** The number of questions asked. */
  readonly queries: number
  /** Insertions, deletions and substitutions between the text and the attacked text, the fewest possible. */
  readonly distance: number
  /** True where the last answer was the one that the attacker wanted. */
  readonly success: boolean
}

/** An answer may take microseconds, and an attack that gets nowhere asks until its budget is spent. */
const MAX_BUDGET = 1_000_000
const KNOWN = ['budget', 'vocabSize', 'alpha', 'seed', 'propose'] as const

/** An oracle with its budget; p-values are 0 or 1 where it only decides. */
class Questions {
  asked = 0
  decides = false
  readonly #oracle: Oracle
  readonly #budget: number
  readonly alpha: number

  constructor(oracle: Oracle, budget: number, alpha: number) {
    this.#oracle = oracle
    this.#budget = budget
    this.alpha = alpha
  }

  get left(): number {
    return this.#budget - this.asked
  }

  async p(tokens: readonly number[]): Promise<number> {
    this.asked++
    const answer = await this.#oracle(tokens)
    if (typeof answer === 'number') return number('oracle', answer, 0, 1)
    if (typeof answer !== 'boolean') throw wrongType('oracle', 'true, false or a p-value', answer)
    this.decides = true
    return answer ? 0 : 1
  }

  async detected(tokens: readonly number[]): Promise<boolean> {
    return (await this.p(tokens)) <= this.alpha
  }
}

type Propose = (tokens: readonly number[], at: number) => number

/** Checks the arguments; returns the oracle with its budget, the stream of random numbers and the proposals. */
function begin(
  name: string,
  text: ArrayLike<number>,
  oracle: Oracle,
  options: OracleOptions,
  more: string[],
) {
  requireOptions(name, options as OracleOptions & Record<string, unknown>, [...KNOWN, ...more])
  callable('oracle', oracle, 'a function (tokens) => true, false or a p-value')
  const { seed, propose } = options
  checkSeed(seed)
  const vocabSize = integer('vocabSize', options.vocabSize, 2, MAX_VOCAB)
  checkTokens(text, vocabSize)
  if (propose !== undefined) callable('propose', propose, 'a function (tokens, at, stream) => token')
  const stream = seededRandom(seed, name)
  const ask = new Questions(
    oracle,
    integer('budget', options.budget, 1, MAX_BUDGET),
    number('alpha', options.alpha ?? 0.01, 0, 1, true),
  )
  const proposal: Propose = (tokens, at) => propose?.(tokens, at, stream) ?? stream.below(vocabSize)
  return { ask, stream, propose: proposal, tokens: Array.from(text) }
}

const shuffled = (length: number, stream: Stream): number[] => {
  const order = Array.from({ length }, (_, i) => i)
  for (let i = 0; i < length - 1; i++) {
    const j = i + stream.below(length - i)
    ;[order[i], order[j]] = [order[j]!, order[i]!]
  }
  return order
}

const outcome = (
  before: ArrayLike<number>,
  tokens: number[],
  ask: Questions,
  success: boolean,
): OracleAttacked => ({ tokens, queries: ask.asked, distance: editDistance(before, tokens), success })

/** Proposals in a row that change nothing, beside one for each token, after which no other is expected. */
const MAX_UNCHANGED = 1000

/** Keeps single edits that move the p-value the right way, until it is on the other side of the level. */
async function climb(
  tokens: number[],
  first: number,
  { ask, stream, propose }: Pick<ReturnType<typeof begin>, 'ask' | 'stream' | 'propose'>,
  better: (p: number, than: number) => boolean,
  done: (p: number) => boolean,
): Promise<boolean> {
  let best = first
  let order: number[] = []
  let unchanged = 0
  while (!done(best) && ask.left > 0) {
    if (order.length === 0) order = shuffled(tokens.length, stream)
    const at = order.pop()!
    const old = tokens[at]!
    tokens[at] = propose(tokens, at)
    if (tokens[at] === old) {
      if (++unchanged > MAX_UNCHANGED + tokens.length) break
      continue
    }
    unchanged = 0
    const p = await ask.p(tokens)
    if (better(p, best)) best = p
    else tokens[at] = old
  }
  return done(best)
}

/**
 * Edits a marked text, asking the detector, until it is not detected.
 * @example
 * const key = 'a secret that nobody guesses'
 * const [{ tokens }] = await generate(markovModel({ vocabSize: 50 }), [1], { watermark: gumbel(), key, maxNewTokens: 80, seed: 1 })
 * const oracle = (text) => detect(gumbel(), text, { key, vocabSize: 50 }).pValue
 * const { success, queries } = await oracleRemove(tokens, oracle, { budget: 500, vocabSize: 50, seed: 1 })
 * success && queries < 200 // true
 */
export async function oracleRemove(
  text: ArrayLike<number>,
  oracle: Oracle,
  options: OracleOptions,
): Promise<OracleAttacked> {
  const run = begin('oracleRemove', text, oracle, options, [])
  const { ask, stream, propose, tokens } = run
  const first = await ask.p(tokens)
  if (first > ask.alpha || tokens.length === 0) return outcome(text, tokens, ask, first > ask.alpha)
  if (!ask.decides) {
    const success = await climb(
      tokens,
      first,
      run,
      (p, than) => p > than,
      (p) => p > ask.alpha,
    )
    return outcome(text, tokens, ask, success)
  }
  const order = shuffled(tokens.length, stream)
  const replaced = tokens.map((token, at) => {
    const other = propose(tokens, at)
    return other === token ? (token + 1) % options.vocabSize : other
  })
  const withFirst = (count: number): number[] => {
    const edited = [...tokens]
    for (const at of order.slice(0, count)) edited[at] = replaced[at]!
    return edited
  }
  // between `yes` edits, detected, and `no` edits, not detected
  let [yes, no] = [0, tokens.length]
  if (ask.left === 0 || (await ask.detected(withFirst(no)))) return outcome(text, tokens, ask, false)
  while (no - yes > 1 && ask.left > 0) {
    const middle = (yes + no) >> 1
    if (await ask.detected(withFirst(middle))) yes = middle
    else no = middle
  }
  const found = withFirst(no)
  for (const at of order.slice(0, no)) {
    if (ask.left === 0) break
    const kept = found[at]!
    found[at] = tokens[at]!
    if (await ask.detected(found)) found[at] = kept
  }
  return outcome(text, found, ask, true)
}

/**
 * Edits an unmarked text, asking the detector, until it is detected. A detector that only decides says nothing about unmarked text: give `from`, a
 * marked text of the same length, and as much of the own text as possible is carried into it.
 * @example
 * const oracle = (text) => detect(gumbel(), text, { key: 'a secret that nobody guesses', vocabSize: 50 }).pValue <= 0.01
 * const plain = Array.from({ length: 60 }, (_, t) => (t * t) % 50)
 * const { success } = await oracleForge(plain, oracle, { budget: 100, vocabSize: 50, seed: 1 })
 * success // false: every answer was no
 */
export async function oracleForge(
  text: ArrayLike<number>,
  oracle: Oracle,
  options: OracleOptions & { readonly from?: ArrayLike<number> },
): Promise<OracleAttacked> {
  const run = begin('oracleForge', text, oracle, options, ['from'])
  const { ask, stream, tokens } = run
  const { from } = options
  if (from === undefined) {
    const first = await ask.p(tokens)
    const done = (p: number): boolean => p <= ask.alpha
    const better = (p: number, than: number): boolean => p < than
    const success = tokens.length > 0 && (await climb(tokens, first, run, better, done))
    return outcome(text, tokens, ask, success || done(first))
  }
  checkTokens(from, options.vocabSize, 'from')
  if (from.length !== tokens.length)
    throw outOfRange('from', `${tokens.length} tokens, as many as the text`, from.length)
  const found = Array.from(from)
  if (!(await ask.detected(found))) return outcome(text, found, ask, false)
  for (const at of shuffled(tokens.length, stream)) {
    if (ask.left === 0) break
    const kept = found[at]!
    if (kept === tokens[at]) continue
    found[at] = tokens[at]!
    if (!(await ask.detected(found))) found[at] = kept
  }
  return outcome(text, found, ask, true)
}

/** Seconds that one question may wait for a server that says "later". */
const PATIENCE_SECONDS = 120

/**
 * Returns the oracle that a server of `uwbench serve` is: `/detect` answers with a p-value, or with `--decision-only` with yes or no. Where the server limits
 * the rate of questions, the oracle waits as long as it says.
 * @example typeof serverOracle('http://127.0.0.1:8080', 'the token of /detect') // 'function'
 */
export function serverOracle(url: string, token?: string): Oracle {
  checkText('url', url)
  if (!URL.canParse(url))
    throw outOfRange('url', 'the address of a server such as http://127.0.0.1:8080', url)
  const address = new URL('/detect', url)
  const headers = new Headers({ 'content-type': 'application/json' })
  // a header holds no other characters; the token itself stays out of the message
  if (token !== undefined && !/^[!-~]([ -~]*[!-~])?$/.test(checkText('token', token)))
    throw new RangeError('token: expected printable ASCII characters, no space at either end')
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
  return async (tokens) => {
    const request = { method: 'POST', headers, body: JSON.stringify({ token_ids: tokens }) }
    const end = Date.now() + 1000 * PATIENCE_SECONDS
    let response = await fetch(address, request)
    while (response.status === 429 && Date.now() < end) {
      await response.arrayBuffer()
      const seconds = Math.min(PATIENCE_SECONDS, Number(response.headers.get('retry-after')) || 1)
      await new Promise((resolve) => setTimeout(resolve, 1000 * seconds))
      response = await fetch(address, request)
    }
    const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>
    const { p_value: p, detected } = answer
    if (!response.ok || typeof detected !== 'boolean')
      throw new Error(`${address.host}/detect: ${response.status} ${JSON.stringify(answer).slice(0, 200)}`)
    return typeof p === 'number' ? p : detected
  }
}
