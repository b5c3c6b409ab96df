/** The public functions, each with arguments that it accepts: what is fuzzed is one of them, or one of their fields, at a time. */
import * as fc from 'fast-check'
import * as attacks from '../../src/attacks/index.ts'
import * as bench from '../../src/bench/index.ts'
import * as core from '../../src/index.ts'
import * as laws from '../../src/laws/index.ts'
import * as metrics from '../../src/metrics/index.ts'
import * as models from '../../src/models/index.ts'
import * as paper from '../../src/paper/index.ts'
import * as reference from '../../src/reference/index.ts'
import * as stats from '../../src/stats/index.ts'
import * as theory from '../../src/theory/index.ts'

export const entries = { core, laws, models, bench, theory, paper, metrics, attacks, stats, reference }

export interface Recipe {
  readonly name: string
  /** Arguments that are accepted, made anew for every call. */
  args(): unknown[]
  // biome-ignore lint/suspicious/noExplicitAny: arguments of any type are what this is about
  call(...args: any[]): unknown
  /** For functions whose result may hold NaN by definition. */
  readonly mayBeNaN?: boolean
  /** For functions that compute for seconds where they are asked to: all laws, not one. */
  readonly mayTakeLong?: boolean
}

const KEY = 'a secret of sixteen bytes'
const tokens = () => Array.from({ length: 30 }, (_, t) => (t * t) % 17)
const detection = () => ({ key: KEY, vocabSize: 20, alpha: 0.01, skip: [3], end: 19, runs: 5 })
const uniform = (n = 4) => new Float64Array(n).fill(1 / n)
const model = () => models.markovModel({ vocabSize: 8 })
const alone = { minTokens: 2 }
const distribution = () => Float64Array.of(0.5, 0.25, 0.25)
const sample = () => [0.1, 0.4, 0.2, 0.9]
const attackOptions = () => ({ seed: 1, vocabSize: 20, exclude: [1], human: tokens() })

/** Drains generators, so that what they do lazily is done. */
const drain = (values: Iterable<unknown>): unknown => {
  const list: unknown[] = []
  for (const value of values) if (list.push(value) > 1000) break
  return list
}

/** A function called as it is. */
const plain = (
  entry: keyof typeof entries,
  name: string,
  args: () => unknown[],
  more: Partial<Recipe> = {},
): Recipe => ({
  name: `${entry}.${name}`,
  args,
  call: (...given) =>
    (entries[entry] as unknown as Record<string, (...all: unknown[]) => unknown>)[name]!(...given),
  ...more,
})

const methodOptions: Record<string, object> = {
  christ: { entropy: 20 },
  deltaReweight: {},
  dipmark: { alpha: 0.4 },
  expEdit: { keyLength: 8, block: 4, penalty: 1 },
  gammaReweight: {},
  gumbel: { context: core.ngram(2) },
  itsEdit: { keyLength: 8, penalty: 0 },
  kgw: { delta: 2, gamma: 0.25 },
  mcmark: { channels: 4 },
  sta1: { gamma: 0.5 },
  synthid: { layers: 3, detector: 'mean' },
  unigram: { delta: 2 },
  unwatermarked: {},
}

const textModel = () => models.ngramModel('the cat sat on the mat and the cat ran', { order: 2 })

const coreRecipes: Recipe[] = [
  plain('core', 'detect', () => [core.gumbel(), tokens(), detection()]),
  {
    name: 'core.detect (other detectors)',
    args: () => [tokens(), detection()],
    call: (text, options) =>
      [core.christ({ entropy: 1 }), core.expEdit({ keyLength: 8 }), core.unigram({ delta: 1 })].map((mark) =>
        core.detect<never>(mark as never, text, options),
      ),
  },
  plain('core', 'detectMany', () => [core.synthid({ layers: 3 }), [tokens(), tokens()], detection()]),
  {
    name: 'core.stream',
    args: () => [core.gumbel(), { key: KEY, vocabSize: 20, skip: [3] }, 4],
    call(mark, options, token) {
      const text = core.stream(mark, options)
      return [1, 2, token, 5].map((id) => text.push(id))
    },
  },
  plain('core', 'combine', () => [[{ logEValue: 1 }, { logPValue: -2 }], { dependence: 'independent' }]),
  plain('core', 'detectAny', () => [
    [core.gumbel(), core.synthid({ layers: 3 })],
    [KEY, Uint8Array.from({ length: 16 }, (_, i) => i)],
    tokens(),
    { vocabSize: 20, alpha: 0.01, skip: [3], end: 19, runs: 5 },
  ]),
  plain('core', 'segments', () => [
    core.gumbel(),
    tokens(),
    { key: KEY, vocabSize: 20, skip: [3], alpha: 0.01 },
  ]),
  plain('core', 'embedder', () => [core.gumbel(), { key: KEY, vocabSize: 4, seed: 1, check: true }]),
  {
    name: 'core.embedder.reweight',
    args: () => [[1, 2, 3], uniform(), new Float64Array(4)],
    call: (text, p, q) =>
      core.embedder(core.gammaReweight(), { key: KEY, vocabSize: 4 }).reweight(text, p, q),
  },
  {
    name: 'core.embedder.drew',
    args: () => [1, 0.5],
    call: (token, p) => core.embedder(core.christ(), { key: KEY, vocabSize: 4 }).drew(token, p),
  },
  {
    name: 'core.watermarkProcessor',
    args: () => [
      core.gumbel(),
      { key: KEY, vocabSize: 3, seed: 1 },
      [[1, 2]],
      { dims: [1, 3], data: Float32Array.of(1, 2, 3) },
    ],
    call: (mark, options, ids, logits) => core.watermarkProcessor(mark, options)(ids, logits).dims,
  },
  plain('core', 'parseWatermark', () => ['kgw(delta=2)', []]),
  plain('core', 'ngram', () => [2, { repeated: 'skip', short: false }]),
  plain('core', 'prefix', () => [{ entropy: 20 }]),
  plain('core', 'sequence', () => [{ length: 8 }]),
  plain('core', 'fixed', () => []),
  plain('core', 'sumDetector', () => [{ nullLaw: core.binomial(0.5), bound: 1 }]),
  plain('core', 'scanDetector', () => [{ nullLaw: core.exponential(), terms: () => 1 }]),
  plain('core', 'alignmentDetector', () => [
    { keyLength: 8, block: 4, penalty: 1, shiftLaw: core.exponential(), enough: 5 },
  ]),
  {
    name: 'core.binomial',
    args: () => [0.5, { trials: 2 }, 10, 20, [1, 2]],
    call: (rate, options, sum, n, counts) => [
      core.binomial(rate, options).logTail(sum, n),
      core.binomial(rate, options).logTailOfCounts!(sum, counts),
    ],
  },
  {
    name: 'core.exponential',
    args: () => [{ terms: 2 }, 10, 20],
    call: (options, sum, n) => core.exponential(options).logTail(sum, n),
  },
  {
    name: 'core.lattice',
    args: () => [distribution(), 10, 20],
    call: (pmf, sum, n) => core.lattice(pmf).logTail(sum, n),
  },
  {
    name: 'core.weightedBits',
    args: () => [[3, 2, 1], { rate: 0.5 }, 10, 20],
    call: (weights, options, sum, n) => core.weightedBits(weights, options).logTail(sum, n),
  },
  plain('core', 'shippedMethods', () => []),
  plain('core', 'shippedWatermarks', () => []),
  plain('core', 'paperWatermarks', () => []),
  plain('core', 'defineWatermark', () => [{ ...core.kgw({ delta: 2 }) }]),
  plain('core', 'defineMethod', () => [
    'mine',
    {
      parameters: { rate: core.parameter.number(0, 1, { default: 0.5 }) },
      make: () => ({ ...core.gumbel() }),
    },
  ]),
  ...Object.entries(methodOptions).map(([name, options]) => plain('core', name, () => [{ ...options }])),
]

const parameterRecipes: Recipe[] = [
  {
    name: 'core.parameter.number',
    args: () => [0, 1, { default: 0.5 }],
    call: (...all) => (core.parameter.number as (...args: unknown[]) => unknown)(...all),
  },
  {
    name: 'core.parameter.integer',
    args: () => [0, 9, { default: 5 }],
    call: (...all) => (core.parameter.integer as (...args: unknown[]) => unknown)(...all),
  },
  {
    name: 'core.parameter.oneOf',
    args: () => [['a', 'b'], {}],
    call: (...all) => (core.parameter.oneOf as (...args: unknown[]) => unknown)(...all),
  },
  {
    name: 'core.parameter.context',
    args: () => [() => core.ngram(2), {}],
    call: (...all) => (core.parameter.context as (...args: unknown[]) => unknown)(...all),
  },
]

const modelRecipes: Recipe[] = [
  plain('models', 'markovModel', () => [{ vocabSize: 8, order: 1, entropy: 1, seed: 1 }]),
  plain('models', 'ngramModel', () => ['the cat sat on the mat', { order: 2, smoothing: 1 }]),
  plain('models', 'generate', () => [
    model(),
    [1, 2],
    {
      watermark: core.gumbel(),
      key: KEY,
      maxNewTokens: 5,
      stopTokens: [],
      seed: 1,
      batchSize: 2,
      temperature: 1,
      topK: 0,
      topP: 1,
      count: 2,
      first: 0,
    },
  ]),
  plain('models', 'generateMany', () => [
    model(),
    [{ prompt: [1], key: KEY, seed: 1, index: 0, watermark: core.gumbel() }],
    { maxNewTokens: 5, batchSize: 2 },
  ]),
  plain('models', 'promptTokens', () => [model(), '1 2 3']),
  {
    name: 'models.warper',
    args: () => [{ temperature: 0.5, topK: 2, topP: 0.9 }],
    call: (options) => models.warper(options)(Float32Array.of(0, 1, 2), 0, new Float64Array(3)),
  },
  plain('models', 'draw', () => [distribution(), 0.5]),
]

const lawRecipes: Recipe[] = [
  plain(
    'laws',
    'checkWatermark',
    () => [
      core.unwatermarked(),
      { falseAlarm: 0.01, bias: 0.1, miss: 0.1, seed: 1, laws: ['reweight gives a distribution'] },
    ],
    { mayTakeLong: true },
  ),
  plain('laws', 'keySeed', () => []),
  plain('laws', 'weights', () => [{ ...alone, maxTokens: 6 }]),
  plain('laws', 'text', () => [{ vocabSize: 10, minLength: 1, maxLength: 5 }]),
  plain('laws', 'toyModel', () => [3]),
  plain('laws', 'nextToken', () => [{ vocabSize: 2, rows: [[1, 3]] }, [0, 1]]),
  { name: 'laws.textsOf', args: () => [2, 2], call: (size, length) => drain(laws.textsOf(size, length)) },
  plain('laws', 'ledger', () => [laws.allLaws, 1e-9]),
  plain('laws', 'renderFailure', () => [
    { id: 'mine' },
    { law: 'detectable', verdict: 'fails', detail: 'no text was detected' },
  ]),
  plain('laws', 'renderVerdicts', () => [
    { id: 'mine' },
    [{ law: 'detectable', verdict: 'holds', detail: '' }],
  ]),
]

const statsRecipes: Recipe[] = [
  plain('stats', 'auroc', () => [sample(), sample(), { confidence: 0.9 }]),
  plain('stats', 'binomialTest', () => [3, 10, 0.5, 'greater']),
  plain('stats', 'bootstrapInterval', () => [
    sample(),
    { random: { below: () => 0 }, confidence: 0.9, resamples: 100 },
  ]),
  plain('stats', 'chernoffInterval', () => [0.5, 10, 0.9]),
  plain('stats', 'clopperPearson', () => [3, 10, 0.9]),
  plain('stats', 'fisherTest', () => [3, 10, 4, 12]),
  plain('stats', 'kolmogorovTest', () => [sample(), 'greater']),
  plain('stats', 'log1mexp', () => [-1]),
  plain('stats', 'logBinomialTail', () => [3, 10, 0.5]),
  plain('stats', 'logChernoffTail', () => [2, [0.7, 0.9], 0.5, [2, 3]]),
  plain('stats', 'logChiSquareTail', () => [3, 2]),
  plain('stats', 'logGammaTail', () => [3, 2]),
  plain('stats', 'logLatticeTail', () => [[0.5, 0.5], 3, 4]),
  plain('stats', 'logNormalTail', () => [1]),
  plain('stats', 'logStudentTail', () => [1, 3]),
  plain('stats', 'logSumExp', () => [[-1, -2]]),
  plain('stats', 'logWeightedBernoulliTail', () => [4, [3, 2, 1], 0.5, [1, 2, 3]]),
  plain('stats', 'meanInterval', () => [sample(), 0.9]),
  plain('stats', 'median', () => [sample()]),
  plain('stats', 'midRanks', () => [sample()]),
  plain('stats', 'multinomialTest', () => [
    [3, 4, 5],
    [0.5, 0.25, 0.25],
  ]),
  plain('stats', 'normalQuantile', () => [0.9]),
  plain('stats', 'quantile', () => [sample(), 0.5]),
  plain('stats', 'quantileInterval', () => [sample(), 0.5, 0.5]),
  plain('stats', 'spearman', () => [sample(), sample(), { confidence: 0.9, permutations: 99 }]),
  plain('stats', 'superUniform', () => [sample(), { levels: [0.1], falseAlarm: 1e-3, miss: 0.1 }]),
  plain('stats', 'totalVariation', () => [distribution(), distribution()]),
]

const metricRecipes: Recipe[] = [
  plain('metrics', 'bleu', () => [{ tokenize: '13a', lowercase: true, smoothing: 'exp' }]),
  plain('metrics', 'corpusBleu', () => [['the cat sat'], [['the cat']], { maxOrder: 2 }]),
  plain('metrics', 'sentenceBleu', () => ['the cat sat', ['the cat'], {}]),
  plain('metrics', 'distinct', () => [2]),
  plain('metrics', 'repetition', () => [2]),
  plain('metrics', 'distinctN', () => [['a', 'b', 'a'], 2]),
  plain('metrics', 'repeatedNgrams', () => [['a', 'b', 'a'], 2]),
  plain('metrics', 'repeatedWithin', () => [['a', 'b', 'a'], 2]),
  plain('metrics', 'inverseDocumentFrequency', () => [[[1, 2], [3]]]),
  plain('metrics', 'meanLogLikelihood', () => [[-1, -2]]),
  plain('metrics', 'perplexityOf', () => [[-1, -2]]),
  {
    name: 'metrics.perplexity',
    args: () => [model(), { bound: 100, batch: 2 }, [{ text: '', tokens: [1, 2], prompt: [3] }]],
    call: (of, options, samples) => metrics.perplexity(of, options).score(samples),
  },
  {
    name: 'metrics.logLikelihood',
    args: () => [model(), { bound: 100, batch: 2 }, [{ text: '', tokens: [1, 2], prompt: [3] }]],
    call: (of, options, samples) => metrics.logLikelihood(of, options).score(samples),
  },
  plain('metrics', 'porterStem', () => ['running']),
  plain('metrics', 'rouge', () => [1, { stem: true }]),
  plain('metrics', 'rougeL', () => ['the cat', 'the cat sat', { stem: true }]),
  plain('metrics', 'rougeLsum', () => ['the cat', 'the cat sat', {}]),
  plain('metrics', 'rougeN', () => ['the cat', 'the cat sat', 2, {}]),
  plain('metrics', 'rougeWords', () => ['the cat', { stem: true }]),
  plain('metrics', 'tokenize13a', () => ['the cat, sat.']),
]

const randomEdits = { insert: attacks.insert, remove: attacks.remove, replace: attacks.replace }

const attackRecipes: Recipe[] = [
  ...(['insert', 'remove', 'replace'] as const).map(
    (name): Recipe => ({
      name: `attacks.${name}`,
      args: () => [{ rate: 0.3 }, tokens(), attackOptions()],
      call: (options, text, more) => randomEdits[name](options).apply(text, more),
    }),
  ),
  {
    name: 'attacks.truncate',
    args: () => [{ keep: 0.5 }, tokens(), attackOptions()],
    call: (options, text, more) => attacks.truncate(options).apply(text, more),
  },
  {
    name: 'attacks.copyPaste',
    args: () => [{ share: 0.5, pieces: 2 }, tokens(), attackOptions()],
    call: (options, text, more) => attacks.copyPaste(options).apply(text, more),
  },
  {
    name: 'attacks.noAttack',
    args: () => [tokens(), attackOptions()],
    call: (text, more) => attacks.noAttack().apply(text, more),
  },
  {
    name: 'attacks.rewrite',
    args: () => [
      model(),
      { strength: 0.3, span: 3, batchSize: 2, temperature: 1 },
      [1, 2, 3, 4, 5],
      { seed: 1, vocabSize: 8, prompt: [1] },
    ],
    call: (of, options, text, more) => attacks.rewrite(of, options).apply(text, more),
  },
  plain('attacks', 'editDistance', () => [
    [1, 2, 3],
    [1, 3],
  ]),
  plain('attacks', 'parseAttack', () => ['replace(rate=0.3)']),
  {
    name: 'attacks.synonyms',
    args: () => [{ synonyms: () => undefined }, { rate: 0.5 }, 'the big cat', { seed: 1 }],
    call: (words, options, text, more) => attacks.synonyms(words, options).apply(text, more),
  },
  {
    name: 'attacks.throughText',
    args: () => [
      { id: 'mine', apply: async (text: string) => text },
      textModel().tokenizer,
      [1, 2],
      { seed: 1, vocabSize: 9 },
    ],
    call: (attack, tokenizer, text, more) => attacks.throughText(attack, tokenizer).apply(text, more),
  },
]

const adversary = () => ({ key: KEY, vocabSize: 4, alpha: 0.05, most: 1, kinds: ['deletion'] })
const generations = () => [
  [1, 3],
  [0, 0],
]

const theoryRecipes: Recipe[] = [
  {
    name: 'theory.allEdits',
    args: () => [[1, 2], [1, 2], ['substitution']],
    call: (text, replacements, kinds) => drain(theory.allEdits(text, replacements, kinds)),
  },
  plain('theory', 'amplificationBound', () => [0.9, 10]),
  plain('theory', 'amplificationBracket', () => [0.9, 0.5]),
  plain('theory', 'amplificationCeiling', () => [0.9, 10]),
  plain('theory', 'applyEdit', () => [[1, 2, 3], { kind: 'insertion', at: 1, token: 9 }]),
  plain('theory', 'beamAttack', () => [
    core.kgw({ delta: 2 }),
    [1, 2, 3, 1, 0],
    { ...adversary(), width: 1, candidates: 2, seed: 1 },
  ]),
  plain('theory', 'exhaustiveAttack', () => [core.kgw({ delta: 2 }), [1, 2, 3, 1, 0], adversary()]),
  plain('theory', 'bhattacharyya', () => [distribution(), distribution()]),
  plain('theory', 'certificateLaw', () => [
    core.kgw({ delta: 2 }),
    [1, 2, 3, 1, 0],
    [{ kind: 'deletion', at: 1 }],
    { key: KEY, vocabSize: 4, alpha: 0.05 },
  ]),
  plain('theory', 'reachLaw', () => [
    core.kgw({ delta: 2 }),
    [1, 2, 3, 1, 0],
    { kind: 'deletion', at: 1 },
    { skip: [] },
  ]),
  plain('theory', 'certifiedDecisionRadius', () => [
    core.kgw({ delta: 2 }),
    [1, 2, 3, 1, 0],
    { key: KEY, vocabSize: 4, alpha: 0.05 },
  ]),
  plain('theory', 'certifiedScoreRadius', () => [
    core.kgw({ delta: 2 }),
    [1, 2, 3, 1, 0],
    { key: KEY, vocabSize: 4, alpha: 0.05 },
  ]),
  plain('theory', 'certifiedRadius', () => [{ statistic: 320, threshold: 277, region: 3, bound: 1 }]),
  plain('theory', 'decisionRadius', () => [
    { law: core.binomial(0.5), statistic: 32, scored: 50, region: 5, bound: 1, alpha: 0.1 },
  ]),
  plain('theory', 'scoreRadius', () => [
    {
      logTail: (sum: number, n: number) => core.binomial(0.5).logTail(sum, n),
      scores: [1, 1, 1, 0],
      region: 2,
      alpha: 0.1,
    },
  ]),
  plain('theory', 'detWmk', () => [generations(), generations(), generations()]),
  plain('theory', 'spmgGap', () => [generations(), generations()]),
  plain('theory', 'promptMeans', () => [generations(), 'values']),
  plain('theory', 'spmgTest', () => [
    generations(),
    generations(),
    generations(),
    { exchange: 'generation', runs: 50, enumerate: 100, seed: 1 },
  ]),
  plain('theory', 'spmgThreshold', () => [
    { generations: 10, prompts: 5, bound: 1, alpha: 0.05, form: 'sharp' },
  ]),
  plain('theory', 'spmgQueries', () => [
    { prompts: 5, bound: 1, drift: 0.1, deviation: 0.5, alpha: 0.05, power: 0.8 },
  ]),
  plain('theory', 'spmgTailBound', () => [0.1, { generations: 10, prompts: 5, bound: 1, form: 'sharp' }]),
  plain('theory', 'detectionPower', () => [
    theory.scoreLaw(core.sta1(), uniform(2)),
    core.binomial(0.5),
    50,
    0.01,
    'low',
  ]),
  plain('theory', 'tokensNeeded', () => [core.sta1(), uniform(2), 0.1, 0.5, { keys: 10, seed: 1 }]),
  plain('theory', 'scoreLaw', () => [core.sta1(), uniform(2), { keys: 10, seed: 1 }]),
  plain('theory', 'stepLaw', () => [core.sta1(), uniform(2), { keys: 10, seed: 1 }]),
  plain('theory', 'queryBudget', () => [
    core.sta1(),
    uniform(2),
    { observer: 'informed', distance: 0.5, keys: 10, seed: 1 },
  ]),
  plain('theory', 'effectRegion', () => ['first occurrence', 2, 'substitution']),
  plain('theory', 'scoresChanged', () => [core.ngram(1), [1, 2, 3], [1, 9, 3], () => false]),
  plain('theory', 'entropy', () => [distribution()]),
  plain('theory', 'expectedDrop', () => [{ mean: 1, nullMean: 0.5, n: 2, edit: 'substitution' }]),
  plain('theory', 'gumbelScoreTail', () => [distribution(), 1]),
  plain('theory', 'mixtureTotalVariation', () => [[{ q: Float64Array.of(1, 0), weight: 1 }], [0.5, 0.5], 3]),
  plain('theory', 'productTotalVariation', () => [[1, 0], [0.5, 0.5], 3]),
  plain('theory', 'textBhattacharyya', () => [
    core.gumbel(),
    model(),
    { key: KEY, prompt: [1], length: 3, texts: 5, confidence: 0.9, seed: 1 },
  ]),
  plain('theory', 'textQueryBudget', () => [
    core.gumbel(),
    model(),
    { prompts: [[1]], length: 3, alpha: 0.1, power: 0.1, trials: 2, most: 2, confidence: 0.5, seed: 1 },
  ]),
]

const referenceRecipes: Recipe[] = [
  plain('reference', 'asPublished', () => [core.kgw({ delta: 2 }), 'huggingface']),
  plain('reference', 'expEditStatistic', () => [
    { key: 42, keyLength: 8, vocabSize: 20, tokens: [18, 0, 2], block: 3, gamma: 0 },
  ]),
  plain('reference', 'kgwGreenlist', () => [
    { vocabSize: 20, hashingKey: 15485863, ratio: 0.25, previous: 3 },
  ]),
  plain('reference', 'mcmarkChannelStart', () => [10, 4, 1]),
  plain('reference', 'mcmarkCode', () => [42, 5, 20]),
  plain('reference', 'mcmarkSeed', () => [{ privateKey: new Uint8Array(16), context: [31, 60] }]),
  plain('reference', 'mersennePermutation', () => [42, 4]),
  plain('reference', 'mersenneUniforms', () => [42, 4]),
  plain('reference', 'philoxWord', () => [{ key: 42n, context: [1, 2], token: 7 }]),
  plain('reference', 'sta1GreenSize', () => [5, 0.5]),
  plain('reference', 'synthidContextMask', () => [
    { flavor: 'google', keys: [1, 2], tokens: [1, 2, 3, 4, 5, 6], ngramLength: 3 },
  ]),
  plain('reference', 'synthidContexts', () => [{ ngramLength: 3, history: 8 }]),
  plain('reference', 'synthidGValues', () => [
    { flavor: 'google', keys: [1, 2], tokens: [1, 2, 3, 4, 5, 6], ngramLength: 3 },
  ]),
  plain('reference', 'synthidHashIv', () => [[1, 2]]),
  plain('reference', 'synthidSamplingTable', () => [16, 0]),
  plain('reference', 'vllmSubkey', () => [0n, 'key_a']),
]

const otherRecipes: Recipe[] = [
  plain('core', 'withoutReplacement', () => [1, 2]),
  plain('stats', 'logDrawsTail', () => [1, [[1, 1], [1]], { sizes: [1], total: 2 }]),
  plain('paper', 'audit', () => [paper.publishedTables]),
  plain('paper', 'publishedRow', () => [paper.publishedTables.detection, 'synthid']),
  plain('paper', 'detectabilityScore', () => [{ tpr5: 1, tpr1: 1, tpr01: 1, medianP: 1e-30, auroc: 1 }]),
  plain('bench', 'cell', () => ['double', { n: 3 }, {}]),
  plain('bench', 'studyOf', () => ['smoke']),
]

/** Left out, and why. */
export const leftOut: Readonly<Record<string, string>> = {
  'models.ModelUnavailableError': 'a class',
  'models.embeddedModel': 'loads a model',
  'models.loadEncoder': 'loads a model',
  'models.loadModel': 'loads a model',
  'models.loadTokenizer': 'loads a tokenizer',
  'attacks.loadWordNet': 'reads a package',
  'attacks.paraphrase': 'takes a sequence-to-sequence model',
  'metrics.bertScore': 'takes an encoder',
  'metrics.bertScoreMetric': 'takes an encoder',
  'reference.TorchGenerator': 'a class',
  'reference.toReferenceOutput': 'takes the result of detect',
  'paper.auditJson': 'takes the result of audit',
  'paper.auditMarkdown': 'takes the result of audit',
  'paper.robustnessScore': 'takes a table',
  'paper.unbiasednessScore': 'takes a table',
  'bench.compareReports': 'takes reports: see spec/report',
  'bench.defineExperiment': 'its declaration is run by the benchmark',
  'bench.defineStep': 'returns what it is given',
  'bench.embeddedStudy': 'takes nothing',
  'bench.openStore': 'writes files',
  'bench.paperExperiments': 'takes nothing',
  'bench.paperStudy': 'takes nothing',
  'bench.readReports': 'reads files',
  'bench.runCells': 'writes files',
  'bench.runExperiment': 'writes files',
  'bench.smokeStudy': 'takes nothing',
  'bench.storePath': 'takes nothing',
  'bench.writeIndex': 'writes files',
  'bench.writeReport': 'writes files',
}

/** Recipes whose functions do not check all their arguments yet. */
export const notYet: readonly Recipe[] = [
  ...lawRecipes.slice(1),
  ...theoryRecipes,
  ...referenceRecipes,
  ...otherRecipes,
  ...parameterRecipes,
]

export const recipes: readonly Recipe[] = [
  ...coreRecipes,
  ...modelRecipes,
  ...lawRecipes.slice(0, 1),
  ...statsRecipes,
  ...metricRecipes,
  ...attackRecipes,
]

/** Which argument is replaced: as a whole, or one field of it. */
export interface Place {
  readonly argument: number
  readonly field: number | undefined
}

export const place = (): fc.Arbitrary<Place> =>
  fc.record({ argument: fc.nat(5), field: fc.option(fc.nat(12), { nil: undefined }) })

/** Objects of data. The methods of a model are code: what a broken one computes is its own business. */
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  !('begin' in value) &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value))

/** The arguments with a hostile value in that place, and what the place is called. */
export function withHostile(
  recipe: Recipe,
  { argument, field }: Place,
  value: unknown,
): { args: unknown[]; where: string } {
  const args = recipe.args()
  const at = args.length === 0 ? 0 : argument % args.length
  const old = args[at]
  if (field !== undefined && isRecord(old)) {
    const fields = [...Object.keys(old), 'hostileOption']
    const name = fields[field % fields.length]!
    args[at] = { ...old, [name]: value }
    return { args, where: `argument ${at}, ${name}` }
  }
  args[at] = value
  return { args, where: `argument ${at}` }
}
