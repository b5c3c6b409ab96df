import { sizeAfterZero } from './after-zero.ts'
import { type Finding, percent, sig } from './finding.ts'
import { firstContexts, firstTokenBias } from './first-token.ts'
import { listsOf, overlap } from './green.ts'
import { biasOfMemory, comesBack } from './memory.ts'
import { moduloBias } from './orders.ts'
import {
  crossing,
  firstZero,
  sizeOfHalf,
  sizeOfTransformers,
  sizeOnAlternatingText,
  transformersPValue,
  zeroPermutationP,
} from './p-values.ts'
import { zeroProduct } from './products.ts'
import { studyLayers } from './synthid-iterated.ts'
import * as table from './synthid-table.ts'
import { tailWins, wordsThatRoundTo } from './uniforms.ts'
import { momentTable, tailMass, tieBias, trueOverClaimed } from './vllm.ts'

/** SynthID in Hugging Face Transformers. */
function synthidTable(): Finding[] {
  const code = 'SynthID, Transformers'
  const ones = table.onesInTable()
  const rate = ones / table.states
  const bits = table.everyState()
  const vectors = new Set(bits.map((state) => state.join(''))).size
  const biases = Array.from({ length: 64 }, (_, i) => Math.abs(table.biasOfPair(bits, i + 1)))
  const law = table.onesPerToken(bits)
  return [
    {
      code,
      title: 'the table of bits is not balanced',
      source: '`huggingface/transformers`, `src/transformers/generation/logits_process.py` at aa5108b4',
      note: true,
      assumed: 'a g-bit is 1 with probability 1/2.',
      found: `the published table (65,536 entries, seed 0) has ${ones} ones: the rate is ${sig(rate, 6)}.`,
      law: 'null law right (exact: the table is counted).',
      effect: `over 500 tokens of 20 layers the sum of unmarked text sits ${sig((0.5 - rate) * 2 * Math.sqrt(10_000), 2)} standard deviations low: a test at rate 1/2 is valid and loses that much. The declarations here use the true rate.`,
    },
    {
      code,
      title: 'only 16 bits of the hash are read',
      source: '`huggingface/transformers`, `src/transformers/generation/logits_process.py` at aa5108b4',
      note: true,
      assumed: 'the bits of different tokens and contexts are independent.',
      found: `a table of 2^16 entries is read at the hash mod 2^16, and the low bits of a linear congruential hash depend on the low bits of ids alone. Ids that differ by 65,536 agreed in ${percent(table.agreementOfTwins(2000))} of 40,000 bits; the 20 published layers show ${vectors.toLocaleString('en')} of 2^20 bit vectors.`,
      law: 'null law right, on random text (exact in the hash; sampled texts for the count of pairs).',
      effect: `a vocabulary of 128,256 has ${(128_256 - table.states).toLocaleString('en')} pairs of ids that the watermark cannot tell apart. In texts of 500 n-grams ${sig(table.sharedBits(200, 500))} pairs of n-grams shared all their bits (mean of 200 texts), where independent bits share them with probability 2^-20. Where all states differ there is no harm: at 1% and 200 tokens the binomial test has false-alarm rate ${percent(table.size(law, 200, rate, 0.01))}.`,
    },
    {
      code,
      title: 'under one key list, contexts do not average q to p',
      source: '`huggingface/transformers`, `src/transformers/generation/logits_process.py` at aa5108b4',
      assumed: 'one-shot unbiased; a user has one key list, so it is contexts that have to average out.',
      found:
        'over all 65,536 states of the hash, with the published keys and table and two tokens of probability 1/2. One layer is unbiased exactly; from two layers on the layers are one table at fixed distances, and their products do not average out. (Layers read at independent places would, by the identity of one layer.)',
      law: 'one-shot unbiased (exact: every state is enumerated).',
      effect: `bias in total variation ${sig(Math.max(...biases))} at the most and ${sig(Math.sqrt(biases.reduce((s, b) => s + b * b, 0) / biases.length))} in the root mean square over the 64 pairs of ids (0, d), d = 1..64; with one layer ${sig(Math.abs(table.biasOfPair(bits, 1, 1)))}.`,
    },
  ]
}

/** What both published implementations of SynthID take for the context. */
function synthidContext(): Finding[] {
  const histories = [0, 1, 2, 3, 4]
  const biases = histories.map((history) => sig(biasOfMemory(history, 4), 2))
  return [
    {
      code: 'SynthID, both',
      title: 'contexts are forgotten after 1,024 positions',
      source:
        '`huggingface/transformers`, `src/transformers/generation/logits_process.py` at aa5108b4; `google-deepmind/synthid-text`, `src/synthid_text/logits_processing.py` at 32197c34',
      assumed:
        "a context that was used is never used again in the text; then the law of the text is the model's.",
      found: `the last 1,024 contexts are remembered. One that comes back after 1,024 positions is ${comesBack(1024) ? 'new' : 'known'}, after 1,025 ${comesBack(1025) ? 'new' : 'known'}.`,
      law: '"unbiased over texts" of `checkWatermark` rejects a memory of 1 (exact, on texts of four tokens).',
      effect: `scaled down to texts of 4 tokens, contexts of one token, two equally likely tokens and two layers: with a memory of ${histories.join(', ')} positions the law of texts over keys is ${biases.join(', ')} from the model's in total variation. Texts shorter than the memory are not touched.`,
    },
    {
      code: 'SynthID, both',
      title: 'the first token has the same code in every text',
      source:
        '`huggingface/transformers`, `src/transformers/generation/logits_process.py` at aa5108b4; `google-deepmind/synthid-text`, `src/synthid_text/logits_processing.py` at 32197c34',
      assumed: 'a prompt decides which code its first token gets, so that over prompts q averages to p.',
      found: `generation starts from a context of zeros and does not look at the prompt, unless \`skip_first_ngram_calls\` leaves the first tokens unmarked (off by default): among 1,000 prompts there is ${firstContexts(1000)} first context.`,
      law: 'unbiased over texts, across prompts (exact: one code, its q computed).',
      effect: `with the keys of the vectors and the table of Transformers, over all texts of one key the first token's law is ${sig(firstTokenBias(1000))} from the model's in total variation where 1,000 tokens are equally likely, ${sig(firstTokenBias(10))} where 10 are.`,
    },
  ]
}

/** SynthID in the google-deepmind repository. */
function synthidIterated(): Finding {
  const study = studyLayers(1 << 17)
  const error = 1 / Math.sqrt(study.samples)
  const [a, b] = study.worst.keys
  return {
    code: 'SynthID, google-deepmind',
    title: 'layers are correlated',
    source: '`google-deepmind/synthid-text`, `src/synthid_text/logits_processing.py` at 32197c34',
    assumed: 'the bits of different layers are independent.',
    found: `twelve rounds of multiply and shift do not undo a fixed difference between two layer keys. Over 2^17 random states of the hash, the layers of keys ${a} and ${b} of the published list have correlation ${sig(study.worst.correlation)}; root mean square over the 190 pairs ${sig(study.rms)}; standard error ${sig(error)}. Ids x and x + 1 agree with correlation ${sig(study.neighbours)}. Single bits are balanced as far as this can see (largest of 20 deviations ${sig(Math.abs(study.meanZ), 2)} standard errors).`,
    law: `null law right (sampled: the largest of 190 correlations is ${sig(Math.abs(study.worst.correlation) / error, 2)} standard errors; false alarm below ${study.falseAlarm}, by Hoeffding and a union bound).`,
    effect: `the variance of a token's number of ones is ${sig(study.varianceRatio, 4)} times that of 20 independent bits (standard error ${sig(Math.sqrt(2 / study.samples), 2)}), so binomial p-values of the mean score are slightly too small.`,
  }
}

/** Kirchenbauer et al. in Hugging Face Transformers. */
function kgw(): Finding[] {
  const code = 'KGW, Transformers'
  const zero = firstZero(500, 0.5)
  const zero20 = sizeAfterZero(20, 0.01)
  return [
    {
      code,
      title: 'the key does not reach every green list',
      source: '`huggingface/transformers`, `src/transformers/generation/logits_process.py` at aa5108b4',
      assumed: 'green lists are a function of a secret key.',
      found: `the seed is hashing key times previous token, and the generator reads its low 32 bits. After token 0 the lists of keys 15485863 and 1542234621 have ${percent(overlap(15485863, 1542234621, 0))} in common (after token 1: ${percent(overlap(15485863, 1542234621, 1))}); keys that differ by 2^32 have ${percent(overlap(15485863n, 15485863n + 2n ** 32n, 77))} in common after token 77.`,
      law: '"the orbit is honest" of `checkWatermark` rejects `kgw(delta=2,codes=reference)` (sampled, false alarm 1e-9; `spec/watermarks/reference.nightly.spec.ts`). The numbers here are exact.',
      effect: `a text of 20 scored tokens, one of them green after token 0: a test of nominal size ${percent(zero20.nominal)} has size ${percent(zero20.real)} over keys. 200 previous tokens give ${listsOf(15485863, 200)} lists under the default key, ${listsOf(2 ** 26, 200)} under the key 2^26.`,
    },
    {
      code,
      title: 'the printed p-value is not one',
      source: '`huggingface/transformers`, `src/transformers/generation/watermarking.py` at f15935c8',
      assumed: 'P(p-value <= a) <= a on unmarked text.',
      found: `the normal tail is approximated by 1 - (1 + sign(z) (1 - exp(-2 z^2 / pi))) / 2, which falls below it from z = ${sig(crossing())} on and is computed as 1 - x: it is exactly 0 from ${zero.green} green tokens of 500 on, where the exact tail is ${sig(zero.tail)}.`,
      law: 'null law right (exact binomial, gamma = 1/2 at 500 tokens and gamma = 1/4 at 200).',
      effect: `false-alarm rate at a nominal 1e-4: ${sig(sizeOfTransformers(500, 0.5, 1e-4))} and ${sig(sizeOfTransformers(200, 0.25, 1e-4))}; at 1e-6: ${sig(sizeOfTransformers(500, 0.5, 1e-6))} and ${sig(sizeOfTransformers(200, 0.25, 1e-6))}. At z = 6 it prints ${sig(transformersPValue(6))}.`,
    },
    {
      code,
      title: 'repeated n-grams are counted again',
      source: '`huggingface/transformers`, `src/transformers/generation/watermarking.py` at f15935c8',
      assumed: 'n scored tokens are n independent trials.',
      found: 'by default every repetition of a bigram counts as a trial of its own.',
      law: 'null law right, on repetitive text (exact: two bigrams, four outcomes).',
      effect: `on a text that alternates two tokens, z > 3 with probability ${sig(sizeOnAlternatingText(10, 0.5))} at 10 tokens and ${sig(sizeOnAlternatingText(1000, 0.5))} at 1,000; nominal 0.00135.`,
    },
    {
      code,
      title: 'ignore_repeated_ngrams=True does nothing',
      source: '`huggingface/transformers`, `src/transformers/generation/watermarking.py` at f15935c8',
      assumed: 'with the option each n-gram counts once.',
      found:
        'n-grams are counted with a Counter whose keys are tensors. Tensors hash by identity, so each is a key of its own and none is found to repeat.',
      law: 'null law right, on repetitive text, as in the finding before (read in the source; two tensors of equal content are two keys).',
      effect: `the option leaves the size of the test as it is: z > 3 with probability ${sig(sizeOnAlternatingText(1000, 0.5))} on a text of 1,000 tokens that alternates two.`,
    },
  ]
}

/** Orders and channels drawn by torch and by the demo of Kuditipudi et al. */
function orders(): Finding[] {
  const half = sizeOfHalf(500, 25129 / 50257, 0.01)
  return [
    {
      code: 'PyTorch, CPU generator',
      title: 'a word modulo n is not uniform',
      source: '`pytorch/pytorch`, the CPU generator of release 1.13',
      note: true,
      assumed: 'randperm and randint are uniform.',
      found: '32-bit words are reduced with a remainder, without rejection.',
      law: 'order uniform, channel uniform (exact).',
      effect: `total variation of the first draw of randperm(128256): ${sig(moduloBias(128256))}; of randperm(50257): ${sig(moduloBias(50257))}; of MCmark's channel among 20: ${sig(moduloBias(20))}. Far below what a sampled law can see.`,
    },
    {
      code: 'DiPmark, MCmark repository',
      title: 'the upper half is not a half',
      source: '`RayRuiboChen/MCMark` (the repository of the MCmark paper) at c51317ec',
      note: true,
      assumed: 'an unmarked token is in the upper half with probability 1/2.',
      found:
        'quantiles (rank + 1) / V above 1/2 are ceil(V/2) of V: 25,129 of 50,257. KGW has int(gamma V) of V, STA-1 round(gamma V) of V with halves to even.',
      law: 'null law right (exact).',
      effect: `at 500 tokens and V = 50,257 a test of nominal size ${percent(half.nominal, 4)} has size ${percent(half.real, 4)}. The declarations here use the true rates.`,
    },
  ]
}

/** The uniforms and the permutation test of Kuditipudi et al. */
function edit(): Finding[] {
  const code = 'Kuditipudi et al.'
  return [
    {
      code: `${code}, demo`,
      title: 'a uniform can be exactly 1',
      source: '`jthickstun/watermark`, `demo/mersenne.py` and `demo/generate.py` at d7deccf2',
      assumed: 'u is uniform on (0, 1), so a token of probability p wins with probability p.',
      found: `${wordsThatRoundTo(1)} of the 2^32 words round to 1 in float32, as the demo keeps them, and 1^(1/p) = 1 beats everything whatever p is; in the score, ln(1 - 1) is minus infinity.`,
      law: 'one-shot unbiased (exact: words counted).',
      effect: `a token wins on its own with probability ${sig(wordsThatRoundTo(1) * 2 ** -32)} per step however small its p is. With one sure token and 50,271 others of next to no mass, some other token comes out with probability ${sig(tailWins(50_271))}. The reference code here keeps float64, as the vectors do, and does not have this.`,
    },
    {
      code: `${code}, experiments`,
      title: 'a p-value of 0',
      source: '`jthickstun/watermark`, `watermarking/detection.py` at d7deccf2',
      assumed: 'P(p-value <= a) <= a on unmarked text.',
      found:
        'the share k / runs of permutation runs at least as extreme, without the + 1 of the demo, is 0 whenever no run is.',
      law: 'null law right (exact: the statistic is the most extreme of runs + 1 exchangeable ones).',
      effect: `with the defaults of 5,000 and 500 runs, p-value 0 on unmarked text with probability ${percent(zeroPermutationP(5000))} and ${percent(zeroPermutationP(500))}: a false alarm at every level.`,
    },
  ]
}

/** EXP in MarkLLM. */
const markllm = (): Finding => ({
  code: 'EXP, MarkLLM',
  title: 'contexts share their seeds, and some seeds do not have the key',
  source: '`THU-BPM/MarkLLM`, `watermark/exp/exp.py` at 28373e59',
  assumed: 'every context has uniforms of its own, which only the key tells.',
  found: `the seed is the hash key times the product of the last four tokens, modulo V. Tokens in another order have the same seed, and so have all contexts with one product; where it is 0, so is the seed under every key.`,
  law: '"same key, same result" of `checkWatermark` finds contexts with one code where the declaration does not say that there are any (`spec/watermarks/reference.nightly.spec.ts`). The numbers here are exact.',
  effect: `of contexts of four tokens, all as likely, ${percent(zeroProduct(32_000))} have seed 0 at V = 32,000, ${percent(zeroProduct(128_256))} at 128,256 and ${percent(zeroProduct(50_257))} at 50,257. The p-values here count a seed once and leave seed 0 out.`,
})

/** The watermarks of vLLM. */
function vllm(): Finding[] {
  const V = 151_936
  const lost = (head: number): string => {
    const mass = tailMass(V, head)
    return `${sig(1 - head, 1)} of mass comes out with probability ${sig(mass)}`
  }
  return [
    {
      code: 'vLLM, Gumbel',
      title: 'uniforms have 24 bits',
      source:
        '`vllm-project/vllm`, `vllm/v1/watermarking/`, pull request 54053 (documented in v0.32.0), read in September 2026',
      assumed: 'u is uniform on (0, 1), so a token of probability p wins with probability p.',
      found: `u takes 2^24 values, the largest 1 - 2^-24. A token whose p is far below 2^-24 cannot win against a likely one, and equal values go to the smaller id. All scores and p-values stay what they are: a score of 24 bits exceeds an exponential by less than 2^-24, which p-values here allow for.`,
      law: 'one-shot unbiased (exact: values counted). The gate passes this code: at 50,257 tokens, its largest vocabulary, it promises to see 0.15, and the bias there is below 0.0015.',
      effect: `at V = ${V.toLocaleString('en')}: where one token has nearly all mass and the others share the rest, ${[0.9, 0.99, 0.999].map(lost).join('; ')}: the first is ${sig(0.1 - tailMass(V, 0.9))} in total variation. Where all tokens are equally likely, ties cost ${sig(tieBias(V))}. Top-k and top-p leave no such tail. The bias grows with V: with 0.1 of mass in the tail it is ${sig(0.1 - tailMass(50_257, 0.9))} at V = 50,257 and ${sig(0.1 - tailMass(1000, 0.9))} at V = 1,000.`,
    },
    {
      code: 'vLLM, dual-key Gumbel',
      title: 'the p-value is too small in the tail',
      source: '`vllm-project/vllm`, `vllm/v1/watermarking/`, pull request 56122, read in September 2026',
      assumed: 'P(p-value <= a) <= a on unmarked text.',
      found:
        'the score (1 - alpha) s_A + alpha s_B of n tokens, at the default alpha of 0.2 that the detector had in one version (later 0.1, as generation had), is given the tail of a Gamma law with its mean and variance. The true law, a weighted sum of two Gamma(n) variables, has a heavier tail.',
      law: 'null law right (exact: the tail is a sum of positive terms).',
      effect: `a claimed p of 1e-6 on 50 tokens happens with probability ${sig(1e-6 * trueOverClaimed(50, 1e-6))}. True over claimed, by length and level; the p-values of \`dualKeyGumbel\` here are exact:`,
      table: momentTable(),
    },
  ]
}

export const findings = (): Finding[] => [
  ...synthidTable(),
  synthidIterated(),
  ...synthidContext(),
  ...kgw(),
  ...orders(),
  ...edit(),
  markllm(),
  ...vllm(),
]
