/** Findings about watermarks that are deployed or published as code: computed, with the version that they are about and what would mend each. */

import { detect, gumbel } from '../../../src/index.ts'
import { asPublished } from '../../../src/watermarks/reference.ts'
import { percent, sig } from '../findings/finding.ts'
import * as compute from './compute.ts'

interface EngineFinding {
  readonly title: string
  readonly version: string
  readonly computed: string
  readonly remedy: string
}

const sglang = asPublished(gumbel(), 'sglang')
const textseal = asPublished(gumbel(), 'textseal')

/** The key of the search: any below 2^20. */
const SECRET = 777_777
const BITS = 20

/** Everything that the report and the statements about it need, computed once. */
export function measure() {
  const text = compute.markedText(sglang, SECRET.toString(16), 84)
  const sealed = compute.markedText(textseal, '42', 1000)
  const stealth = compute.stealthInkPValues(10_000, 200)
  return {
    search: compute.searchSglang(text, BITS),
    shared: detect(sglang, text, { key: SECRET, vocabSize: 1000 }).logPValue,
    linear: [42, 8775, 43, 9001].map((key) => detect(textseal, sealed, { key, vocabSize: 1000 }).logPValue),
    starved: [1000, 5000, 151_935].map((n) => compute.tailMass(8191, 0.5, n)),
    even: [1000, 5000, 151_935].map((n) => compute.tailMass(2 ** 20, 0.5, n)),
    minimum: compute.minimumOfTwo(40_000, 100, [1e-2, 1e-3]),
    lefthash: compute.lefthashAgreement(42n, 3000),
    selfhash: compute.selfhashAlarms(1000, [0.05, 0.01, 0.001]),
    stealth: { median: stealth[5000]!, below: stealth.filter((p) => p <= 0.01).length / 10_000 },
    bimark: [8, 32].map((bits) => compute.bimarkAlarms(5000, 200, bits, 0.01)),
    heavy: [50, 200].map((n) => compute.heavyWaterAlarms(20_000, n, [1e-2, 1e-4])),
    row: compute.shorterRow(200, 1000),
  }
}

export type Measured = ReturnType<typeof measure>

const power = (logP: number): string =>
  logP > Math.log(1e-3) ? sig(Math.exp(logP), 2) : `1e${Math.round(logP / Math.LN10)}`

const engineFindings = (m: Measured): EngineFinding[] => [
  {
    title: 'SGLang: the 64-bit key has 32 effective bits',
    version: 'SGLang #37577 (September 2026)',
    computed: `MurmurHash3's state behind the two key words is one 32-bit number, so each watermark belongs to 2^32 keys: 0123456789abcdef and b3857b36 draw the same hashes. A search over the 2^${BITS} smallest keys, given a text of 84 tokens and no prompt, returned ${m.search.keys.length} key, the right one, after ${sig(m.search.hashes / 2 ** BITS)} token hashes per key. All 2^32 states take ${sig((m.search.hashes / 2 ** BITS) * 2 ** 32)} token hashes. The text's p-value is ${power(m.shared)}, so 2^32 wrong states are expected to give ${power(m.shared + 32 * Math.LN2)} hits as good. The windows (55826, 167495) and (62387, 187178) share their hash, and so all their tokens.`,
    remedy:
      'a keyed hash with a state of at least 128 bits, such as SipHash or HMAC; until then a p-value below 2^-32 says nothing about the key.',
  },
  {
    title: 'TextSeal: the hash is linear, so a text of one key is found with another',
    version: 'TextSeal, snapshot 2c63fb8 and newest stored version (same formula)',
    computed: `a text of 1,000 tokens written with key 42 has p = ${power(m.linear[1]!)} under key 8775 (42 + 8733); under 43 it is ${power(m.linear[2]!)} and under 9001 ${power(m.linear[3]!)}. (Under 42: ${power(m.linear[0]!)}.)`,
    remedy:
      'a hash that mixes key, context and token, not a sum of multiples; p-values of different keys are independent then.',
  },
  {
    title: 'TextSeal: uniforms of 8,191 values starve tails',
    version: 'the same',
    computed: `one token of probability 1/2 against n equally likely ones that share the rest: these come out with probability ${m.starved.map((mass) => sig(mass)).join(', ')} for n = 1,000, 5,000 and 151,935, where it should be 0.5 (exact, for independent uniforms h / 8191). With 2^20 values it is ${m.even.map((mass) => sig(mass, 6)).join(', ')}. Top-p, on by default, hides most of it.`,
    remedy: 'uniforms of at least 32 bits.',
  },
  {
    title: 'TextSeal: the reported p is the smaller of two',
    version: 'newest stored detector, with a model (entropy weights)',
    computed: `on 40,000 unmarked texts of 100 tokens with exponential scores and uniform entropies, the minimum of the weighted and the unweighted p is at most 1e-2 in ${percent(m.minimum[0]!)} and at most 1e-3 in ${percent(m.minimum[1]!)} of texts.`,
    remedy: 'twice the minimum, or a choice between the two before the text is seen.',
  },
  {
    title: 'vLLM, sbw lefthash: generator and detector disagree',
    version: 'vLLM #56859, both stored versions (open, September 2026)',
    computed: `the generator seeds with key times the sum of context tokens, the detector with key times the sum of hashed tokens. Over 3,000 random pairs they agree about the colour in ${percent(m.lefthash)}: the text is not detectable. The generator's seed after token 0 is 0 under every key.`,
    remedy: 'the hash in the generator as well (a round-trip test shows it).',
  },
  {
    title: 'vLLM, sbw selfhash: false alarms',
    version: 'the same',
    computed: `the z-test counts tokens as independent, but where the own term is the minimum the colour does not depend on the context, so repeated tokens repeat their colour. On 1,000 unmarked texts of 200 tokens with Zipf's law, each under its own key, p is at most 5%, 1% and 0.1% in ${m.selfhash.map((rate) => percent(rate)).join(', ')} of texts.`,
    remedy: 'count each pair of seed and token once: `asPublished(kgw({ delta: 2 }), "vllm-sbw")` does.',
  },
  {
    title: 'StealthInk: the p-value tests the smaller of two counts as if it had been chosen before',
    version: 'public repository, 24 positions',
    computed: `on 10,000 unmarked texts of 200 tokens, with the definition (24 positions, two halves), the median p is ${sig(m.stealth.median, 2)} and ${percent(m.stealth.below)} are at most 0.01.`,
    remedy: 'the law of the smaller count, which `decode` of this package uses for messages.',
  },
  {
    title: 'BiMark: the multi-bit p-value has the same fault',
    version: 'public copy',
    computed: `the sum of per-bit maxima is tested against n / 2. On 5,000 unmarked texts of 200 tokens, ${percent(m.bimark[0]!)} (8 bits) and ${percent(m.bimark[1]!)} (32 bits) have p at most 0.01.`,
    remedy: 'the law of the maximum.',
  },
  {
    title: 'HeavyWater: normal p-values of a skewed score',
    version: 'DorTsur repository, k = 1,024, lognormal(0, 1), rows standardised',
    computed: `20,000 unmarked texts: p is at most 1e-2 in ${percent(m.heavy[0]![0]!)} and at most 1e-4 in ${percent(m.heavy[0]![1]!)} of texts of 50 tokens, ${percent(m.heavy[1]![0]!)} and ${percent(m.heavy[1]![1]!)} of texts of 200.`,
    remedy: 'the exact law of the sum, by convolution of the rows.',
  },
  {
    title: 'TGI: shorter rows of a batch are seeded with token 0',
    version: 'TGI 3.3.7, from the source: the zero-padded id matrix is cut at its longest row',
    computed: `all tokens of a shorter row have the list after token 0, whose seed is 0. A text of 200 tokens written so (V = 1,000, delta = 2) has p = ${sig(m.row.byText, 2)} by the lists of its own tokens and ${sig(m.row.byZero, 2)} by that one list: the watermark is a fixed list that everybody knows. The padding itself was read in the source, not run.`,
    remedy: 'the last token of each row, not the last column of the matrix.',
  },
]

export const renderEngines = (m: Measured): string => `# Findings about deployed watermarks

Written by \`spec/reference/engine-findings.spec.ts\`, which computes every number below and fails when this file says something else, or when a
finding stops being true. Codes are those of \`uwbench/reference\`, which reproduce the vectors of \`fixtures/reference/engines.json\`; methods without
codes here are computed from the definition that is given. No engine was run. Sampled numbers have fixed seeds; the statements in the
spec hold with a false-alarm rate below 1e-9 each.

${engineFindings(m)
  .map(
    ({ title, version, computed, remedy }, i) =>
      `## ${i + 1}. ${title}\n\n- Version: ${version}.\n- Computed: ${computed}\n- What would mend it: ${remedy}\n`,
  )
  .join('\n')}
UPV's shipped networks were not run here. Measured elsewhere, a token alone decides its colour almost always (5% of tokens are green in under 1.7%
of contexts, 5% in over 99.7%), so that it is a fixed list and its z has no normal law. The network of our \`upv()\`, trained the same way with 10 bits instead of 16, leans that way
less; its figures and the false alarms of the published z are in [learned-lists.md](learned-lists.md).
`
