/** The laws of a running server, each a function of the texts that it wrote. */
import { logBinomialTail } from '../../core/stats/index.ts'
import { spmgThreshold, spmgVectorTest } from '../../theory/index.ts'
import { type Finding, notApplicable, sampledEvidence } from '../laws/law.ts'
import type { Completion, Step } from './answer.ts'
import { type Secret, testDetection } from './detection.ts'
import type { SampledPair, Samples } from './samples.ts'
import { type Pair, shares, testPairs } from './text-pairs.ts'
import { logJointWealth, smallestDeviation } from './tilted-bets.ts'
import { Contexts, SHARED, SINGLE, TokenBets } from './token-bets.ts'

export interface Conditions {
  /** This law's share of the false-alarm rate, and the rate of the law about pairs of texts. */
  readonly falseAlarm: number
  readonly pairAlarm: number
  readonly miss: number
  /** Tokens of a context. */
  readonly width: number
  readonly secret: Secret | undefined
  /** The reason why nothing is known of tokens, where the watermark's contexts are not the last tokens. */
  readonly unknownContexts: string | undefined
  readonly scores: readonly (readonly [number, number])[] | undefined
}

const count = (n: number): string => n.toLocaleString('en')
const short = (x: number): string => `${+x.toPrecision(3)}`

const tokensOf = (texts: readonly Completion[]): number =>
  texts.reduce((sum, { tokens }) => sum + tokens.length, 0)
const spentOn = (texts: readonly Completion[]) => ({ requests: texts.length, tokens: tokensOf(texts) })

/** The control passes unless its own evidence reaches this: a false alarm here costs a verdict, not a failure. */
const CONTROL_LEVEL = 1e-3
/** Largest distance of reported probabilities, on and off, that is taken for rounding. */
const SAME_P = 0.05

/** Bets on all texts under one way to sample. */
interface Book {
  readonly setting: string
  readonly marked: TokenBets
  readonly plain: TokenBets
}

/** Follows the texts of all waves, and of the crowd, under each way to sample. */
export function booksOf(samples: Samples, width: number): Book[] {
  const ended = samples.waves.flat().filter(({ plain }) => plain.finish === 'stop')
  const ends = new Set(ended.flatMap(({ plain }) => plain.tokens.slice(-1)))
  const contexts = new Contexts(width)
  const books = samples.settings.map((setting) => ({
    setting: JSON.stringify(setting),
    marked: new TokenBets(contexts, ends),
    plain: new TokenBets(),
  }))
  for (const wave of samples.waves) {
    const { marked, plain } = books[wave[0]!.setting]!
    marked.add(wave.map((pair) => pair.marked))
    plain.add(wave.map((pair) => pair.plain))
  }
  books[0]!.marked.add(samples.crowd)
  return books
}

/** Returns the total variation distance of two lists of probabilities. */
function distance(a: Step, b: Step): number {
  const other = new Map(b.ids.map((id, r) => [id, b.p[r]!]))
  let sum = 0
  for (const [r, id] of a.ids.entries()) {
    sum += Math.abs(a.p[r]! - (other.get(id) ?? 0))
    other.delete(id)
  }
  for (const p of other.values()) sum += p
  return sum / 2
}

/** The median distance of reported probabilities with the mark on from those with the mark off, after the same tokens. */
function reportedShift({ waves, forced }: Samples): number {
  const first = waves.flat().flatMap(({ marked, plain }) => {
    const [a, b] = [marked.steps?.[0], plain.steps?.[0]]
    return a && b ? [distance(a, b)] : []
  })
  const later = forced.map(([marked, t, next]) => distance(marked.steps![t]!, next.steps![0]!))
  const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0
  return Math.max(median(first), median(later))
}

const isSound = ({ plain }: Book, books: readonly Book[]): boolean =>
  plain.peak.single < Math.log(books.length / CONTROL_LEVEL)

/** Says why bets on tokens do not apply; undefined where they do for some way to sample. */
function whyNoBets(
  samples: Samples,
  books: readonly Book[],
  { unknownContexts }: Conditions,
): string | undefined {
  if (unknownContexts !== undefined) return unknownContexts
  if (books.every(({ marked }) => marked.positions === 0))
    return 'the server returns no probabilities of alternatives (logprobs), or not for the tokens of its answers'
  const shift = reportedShift(samples)
  if (shift > SAME_P)
    return `with the mark on the server reports other probabilities than with it off (total variation ${short(shift)} after the same tokens): those after the mark`
  if (books.some((book) => isSound(book, books))) return undefined
  const { setting, plain } = books[0]!
  const { set, deviation } = plain.best('single')
  return (
    "the server's logprobs do not describe its own unmarked sampling: " +
    `with ${setting} tokens of '${set}' were drawn ${short(Math.abs(deviation))} ${deviation > 0 ? 'more' : 'less'} often than reported ` +
    `(${count(plain.fresh)} tokens, odds of 10^${(plain.peak.single / Math.LN10).toFixed(0)} against)`
  )
}

/** Tokens against the server's own probabilities. */
export function tokensLaw(samples: Samples, books: readonly Book[], conditions: Conditions): Finding {
  const reason = whyNoBets(samples, books, conditions)
  if (reason !== undefined) return notApplicable(reason)
  const { falseAlarm, miss, width } = conditions
  const sound = books.filter((book) => isSound(book, books))
  const worst = sound.reduce((a, b) => (b.marked.peak.single > a.marked.peak.single ? b : a))
  const { set, deviation } = worst.marked.best('single')
  // each way to sample alone, and all of them together
  const joint = logJointWealth(sound.map(({ marked }) => marked.single))
  const isBroken = Math.max(joint, worst.marked.peak.single) >= Math.log((books.length + 1) / falseAlarm)
  const [fresh, all] = (['fresh', 'positions'] as const).map((name) =>
    sound.reduce((sum, { marked }) => sum + marked[name], 0),
  )
  const texts = samples.waves.flat().flatMap(({ marked, plain }) => [marked, plain])
  const left =
    books.length > sound.length
      ? `; left out, as unmarked texts do not follow logprobs there: ${books
          .filter((book) => !sound.includes(book))
          .map(({ setting }) => setting)
          .join(', ')}`
      : ''
  return {
    verdict: isBroken ? 'fails' : 'holds',
    detail: isBroken
      ? `with the mark on and ${worst.setting}, tokens of '${set}' are drawn ${short(Math.abs(deviation))} ${deviation > 0 ? 'more' : 'less'} often than the server's own probabilities say; with it off they are not`
      : `${count(fresh!)} of ${count(all!)} marked positions have a context of ${width} tokens that is new in the run${left}`,
    evidence: sampledEvidence(
      { falseAlarm, miss },
      {
        keys: 1,
        smallestBias: Math.min(
          ...sound.map(({ marked }) =>
            smallestDeviation(marked.fresh, (books.length + 1) * SINGLE.length, falseAlarm, miss),
          ),
        ),
        observedBias: Math.abs(deviation),
        spent: spentOn([...texts, ...samples.crowd]),
      },
    ),
  }
}

/** Texts with the mark against texts without. */
export function textsLaw(
  samples: Samples,
  { pairAlarm, miss, width, scores, unknownContexts }: Conditions,
): Finding {
  if (unknownContexts !== undefined) return notApplicable(unknownContexts)
  const all: (Pair & SampledPair)[] = samples.waves
    .flat()
    .map((pair, i) => ({ ...pair, ...(scores && { scores: scores[i]! }) }))
  const pairs = all.filter(({ isFirst }) => isFirst)
  if (pairs.length === 0) return notApplicable('no pair of texts was written in the time given')
  const found = testPairs(pairs, width, pairAlarm, miss)
  const isBroken = found.pValue <= pairAlarm
  const approximate =
    found.share > 0
      ? `; ${short(100 * found.share)}% of positions have a context that another text has: the null is approximate, and the statistic divided by ${short(Math.sqrt(found.effect))}`
      : ''
  return {
    verdict: isBroken ? 'fails' : 'holds',
    detail: `${count(pairs.length)} pairs: largest difference in ${found.feature}, ${short(found.difference)} with the mark, p = ${short(found.pValue)} by ${found.by === 'flips' ? 'sign flips' : 'the bound on sign flips'} over all features${approximate}`,
    evidence: sampledEvidence(
      { falseAlarm: pairAlarm, miss },
      {
        keys: 1,
        smallestBias: found.sees,
        observedBias: Math.abs(found.difference),
        spent: spentOn(pairs.flatMap(({ marked, plain }) => [marked, plain])),
      },
    ),
  }
}

/** Rounding that depends on the batch changes at most this share of tokens, and so at most `EARLY` of the texts within their first tokens. */
const ROUNDING = 0.02
const FIRST_TOKENS = 8
const EARLY = 1 - (1 - ROUNDING) ** FIRST_TOKENS

/** The first position at which two texts differ; undefined where they are equal. */
function differsAt(a: Completion, b: Completion): number | undefined {
  const at = a.tokens.findIndex((token, t) => token !== b.tokens[t])
  return at >= 0 ? at : a.tokens.length < b.tokens.length ? a.tokens.length : undefined
}

/** ln of the chance that unmarked answers to one request (n > 1) are as equal as they are: the probability of the text that came twice. */
function logEqualAnswers({ repeated }: Samples): number {
  let least = 0
  const answers = repeated.flatMap(([plain, , clone]) => [plain, clone])
  for (const texts of answers)
    for (const [i, one] of texts.entries()) {
      const isTwin = texts.slice(0, i).some((other) => differsAt(one, other) === undefined)
      if (isTwin && one.logprobs)
        least = Math.min(
          least,
          one.logprobs.reduce((a, b) => a + b, 0),
        )
    }
  return Math.min(0, least + Math.log(Math.max(1, answers.length * 28)))
}

/** Requests alone and in a crowd, and rows of one batch. */
export function batchingLaw(samples: Samples, books: readonly Book[], conditions: Conditions): Finding {
  const { falseAlarm, miss } = conditions
  const { crowd, alone, again } = samples
  const isDeterministic =
    again.length > 0 && again.every((text, i) => differsAt(text, alone[i]!) === undefined)
  const positions = alone.flatMap((text, i) => differsAt(text, crowd[i]!) ?? [])
  const differing = positions.length
  const early = positions.filter((at) => at < FIRST_TOKENS).length
  const level = Math.log(falseAlarm / 3)
  const isMoved = isDeterministic && early > 0 && logBinomialTail(early, alone.length, EARLY) <= level
  const applies = whyNoBets(samples, books, conditions) === undefined
  const sound = applies ? books.filter((book) => isSound(book, books)) : []
  const shared = sound
    .flatMap(({ marked, plain }) => [marked, plain])
    .sort((a, b) => b.peak.shared - a.peak.shared)
  const joint = logJointWealth(shared.map((bets) => bets.shared))
  const isShared =
    shared.length > 0 && Math.max(joint, shared[0]!.peak.shared) >= Math.log(2 * books.length + 1) - level
  // the chance of a text is the product of what the server reports: it counts where unmarked texts follow that
  const isTwin = sound.includes(books[0]!) && logEqualAnswers(samples) <= level
  if (shared.length === 0 && !isDeterministic && samples.repeated.length === 0)
    return notApplicable(
      `${again.length > 0 ? 'the server is not deterministic given a seed' : 'too few requests to repeat one alone'}, and the server's logprobs cannot be bet on`,
    )
  const best = shared[0]?.best('shared')
  const reasons = [
    isMoved &&
      `${early} of ${alone.length} texts change within ${FIRST_TOKENS} tokens in a crowd of ${crowd.length}, although a request alone repeats its text`,
    isShared &&
      `rows of a batch have '${best!.set}' in common ${short(Math.abs(best!.deviation))} ${best!.deviation > 0 ? 'more' : 'less'} often than independent rows`,
    isTwin && 'unmarked answers to one request (n > 1) are equal',
  ].filter(Boolean)
  const alike = isDeterministic
    ? `${alone.length - differing} of ${alone.length} texts are the same alone and in a crowd of ${crowd.length}`
    : `${again.length > 0 ? 'not deterministic given a seed' : 'too few requests to repeat one alone'}: rows of a batch were compared by bets`
  return {
    verdict: reasons.length > 0 ? 'fails' : 'holds',
    detail: reasons.length > 0 ? reasons.join('; ') : alike,
    evidence: sampledEvidence(
      { falseAlarm, miss },
      {
        keys: 1,
        smallestBias: Math.min(
          1,
          ...shared.map(({ shared: bets }) =>
            smallestDeviation(bets[0]!.count, (2 * books.length + 1) * SHARED.length, falseAlarm / 3, miss),
          ),
        ),
        observedBias: Math.abs(best?.deviation ?? 0),
        spent: spentOn([...crowd, ...alone, ...again]),
      },
    ),
  }
}

/** Repeated prompts under one key. It never fails: Theorem 1 says that it must show. */
export function repeatedLaw({ repeated }: Samples, { miss }: Conditions): Finding {
  if (repeated.length === 0)
    return notApplicable('the server gives no several answers to one request (n > 1), or too few requests')
  const values = (which: 0 | 1 | 2) =>
    repeated.map((texts) => texts[which].map(({ text }) => shares(text.toLowerCase().match(/\S+/g) ?? [], 1)))
  const test = spmgVectorTest(values(0), values(1), values(2), { runs: 9999, seed: 0 })
  const generations = repeated[0]![0].length
  const design = { prompts: repeated.length, generations, bound: 0.5, alpha: 0.01 }
  const distinct = (which: 0 | 1) =>
    repeated.reduce((sum, texts) => sum + new Set(texts[which].map(({ tokens }) => tokens.join())).size, 0)
  const total = repeated.length * generations
  const sees = spmgThreshold({ ...design, form: 'sharp' })
  return {
    verdict: 'holds',
    detail:
      `${generations} generations of each of ${repeated.length} prompt${repeated.length === 1 ? '' : 's'}: DetWmk ${short(test.statistic)}, ` +
      `Theorem 2's threshold ${short(spmgThreshold({ ...design, form: 'theorem' }))}, the sharper one ${short(sees)} (1%), permutation p = ${short(test.pValue)}; ` +
      `different texts among the answers to one request: ${distinct(1)} of ${total} with the mark, ${distinct(0)} of ${total} without. ` +
      'One key must show on repeated prompts (Theorem 1): this is no failure',
    evidence: sampledEvidence(
      { falseAlarm: 0.01, miss },
      {
        keys: 1,
        smallestBias: sees,
        observedBias: Math.max(0, test.statistic),
        spent: { requests: 3 * repeated.length, tokens: tokensOf(repeated.flat(2)) },
      },
    ),
  }
}

/** Detection with the key: power on marked texts, and false positives on unmarked ones. */
export function detectionLaw(samples: Samples, { secret, falseAlarm, miss }: Conditions): Finding {
  if (secret === undefined) return notApplicable('needs the watermark, its key and the width of the logits')
  const { tokenizer, vocabSize } = secret
  const pairs = samples.waves.flat()
  const isNamed = ({ idsFrom, ids, tokens }: Completion): boolean =>
    ids !== undefined || (idsFrom !== 'text' && tokens.every((id) => id >= 0))
  const encoded = pairs.some(({ marked }) => !isNamed(marked)) ? tokenizer : undefined
  const documents = (which: 'marked' | 'plain') =>
    pairs.map(({ [which]: { text, ids, tokens, promptIds } }) =>
      encoded ? { tokens: encoded.encode(text) } : { tokens: ids ?? tokens, promptIds },
    )
  const [marked, plain] = [documents('marked'), documents('plain')]
  if ([...marked, ...plain].some(({ tokens }) => tokens.some((id) => id < 0 || id >= vocabSize)))
    return notApplicable(
      `the server gives no token ids below the width ${count(vocabSize)}: name its tokenizer`,
    )
  const found = testDetection(secret, marked, plain, falseAlarm, miss)
  if (found === undefined) return notApplicable(`${plain.length} unmarked texts are too few for a verdict`)
  if (found.isUnmarked && found.holds)
    return notApplicable(
      `texts with the mark on show nothing of this watermark under this key; check key, codes and context width (${found.detail})`,
    )
  const said = `${found.detail}${encoded ? '; token ids come from the texts, by the tokenizer given' : ''}`
  return {
    verdict: found.holds ? 'holds' : 'fails',
    detail: found.holds ? said : `p-values of unmarked texts are too small: ${said}`,
    evidence: sampledEvidence(
      { falseAlarm, miss },
      {
        keys: 1,
        smallestBias: found.sees,
        observedBias: found.rate,
        spent: spentOn(pairs.flatMap((pair) => [pair.marked, pair.plain])),
      },
    ),
  }
}
