/** `checkServer`: the laws of a watermark where it runs, from the answers of an OpenAI-style server. */
import { callable, integer, number, refuseUnknown } from '../../input.ts'
import { meanLogLikelihood } from '../../text/metrics/index.ts'
import { modelCard } from '../../text/models/index.ts'
import type { Finding, LawResult } from '../laws/law.ts'
import { Sampler, type Samples } from './samples.ts'
import { type Asked, askedOf, type ServerUnderTest } from './server.ts'
import {
  batchingLaw,
  booksOf,
  type Conditions,
  detectionLaw,
  repeatedLaw,
  textsLaw,
  tokensLaw,
} from './server-laws.ts'

export interface ServerCheckOptions {
  /** The chance that a server with an unbiased watermark fails any law is at most this. Default 1e-9. */
  readonly falseAlarm?: number
  /** The same for the law about pairs of texts alone, such as 1e-3. Default: its share of `falseAlarm`. */
  readonly pairAlarm?: number
  /** The chance that a bias of the stated size passes. Default 1e-3. */
  readonly miss?: number
  /** Seconds for one answer. Default 120. */
  readonly timeout?: number
  /** Attempts after one that failed in a way that may pass (429, 5xx, a cut or late answer). Default 5. */
  readonly retries?: number
  readonly signal?: AbortSignal
  /** Told about each result as it comes. */
  readonly onProgress?: (result: LawResult, done: number, of: number) => void
}

/** Names of the laws of a server, in order. */
const serverLaws = [
  "tokens follow the server's probabilities",
  'texts with and without the mark agree',
  'batching changes nothing',
  'repeated prompts show',
  'detection keeps its level',
] as const

/** Laws that can fail, and so share the false-alarm rate. */
const FAILING = serverLaws.length - 1

/** Mean log-likelihoods of both texts of each pair, under the scoring model. */
async function scoresOf({ waves }: Samples, { scorer }: Asked): Promise<Conditions['scores']> {
  if (scorer === undefined) return undefined
  const scores: (readonly [number, number])[] = []
  for (const { marked, plain } of waves.flat()) {
    const rows = await scorer.logLikelihood(
      [marked, plain].map(({ promptIds, tokens }) => ({ prompt: promptIds ?? [], tokens })),
    )
    const [a, b] = rows.map((row) => Math.max(-100, meanLogLikelihood(row)))
    scores.push([a!, b!])
  }
  return scores
}

/**
 * Tests a watermark where it runs: sends prompts to an OpenAI-style server with the mark on and off, and checks the laws that can be seen from
 * outside. Saves all answers to `out` and resumes from them. Throws a {@link ServerFailure} if the server does not answer.
 * @example
 * const server = { url: 'http://127.0.0.1:59999/v1', model: 'stories15m', context: 4, requests: 200 }
 * const results = await checkServer(server, { retries: 0 }).catch(({ name }) => name)
 * results // 'ServerFailure': nobody answers there; else a list of results as checkWatermark gives them
 */
export async function checkServer(
  server: ServerUnderTest,
  options: ServerCheckOptions = {},
): Promise<LawResult[]> {
  const asked = askedOf(server)
  refuseUnknown('checkServer', options, [
    'falseAlarm',
    'pairAlarm',
    'miss',
    'timeout',
    'retries',
    'signal',
    'onProgress',
  ])
  const falseAlarm = number('falseAlarm', options.falseAlarm ?? 1e-9, 0, 0.5, true) / FAILING
  const pairAlarm = number('pairAlarm', options.pairAlarm ?? falseAlarm, 0, 0.5, true)
  const miss = number('miss', options.miss ?? 1e-3, 0, 0.5, true)
  const { signal, onProgress } = options
  if (onProgress !== undefined) callable('onProgress', onProgress, 'a function of a result')
  const client = {
    timeout: 1000 * number('timeout', options.timeout ?? 120, 0, 86_400, true),
    retries: integer('retries', options.retries ?? 5, 0, 100),
    token: asked.token,
    signal,
  }
  const card = await modelCard(asked.base, asked.model, client)
  const sampler = new Sampler(asked, { ...client, out: asked.out, budgetMs: 60_000 * asked.minutes })
  const samples = await sampler.run()
  const { watermark, key, width } = asked
  const vocabSize =
    asked.vocabSize ?? (Number.isInteger(card.vocab_size) ? Number(card.vocab_size) : undefined)
  const rule = watermark?.context
  const conditions: Conditions = {
    falseAlarm,
    pairAlarm,
    miss,
    width,
    secret:
      watermark && key !== undefined && vocabSize !== undefined
        ? { watermark, key, vocabSize, tokenizer: asked.tokenizer }
        : undefined,
    unknownContexts:
      rule !== undefined && (rule.foundBy === 'alignment' || rule.id === 'fixed()')
        ? `codes of ${watermark!.id} are not drawn from the last tokens (${rule.id}): texts under one key share them`
        : undefined,
    scores: await scoresOf(samples, asked),
  }
  const books = booksOf(samples, width)
  const findings: Finding[] = [
    tokensLaw(samples, books, conditions),
    textsLaw(samples, conditions),
    batchingLaw(samples, books, conditions),
    repeatedLaw(samples, conditions),
    detectionLaw(samples, conditions),
  ]
  const results: LawResult[] = []
  for (const [i, { counterexample: _, ...finding }] of findings.entries()) {
    results.push({ law: serverLaws[i]!, ...finding })
    onProgress?.(results[i]!, i + 1, findings.length)
  }
  return results
}
