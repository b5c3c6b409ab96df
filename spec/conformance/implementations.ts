/** The rows of the conformance page: implementations by their codes, with the facts that are read in their source and cannot be computed. */

import { dualKeyGumbel, gumbel, kgw, synthid } from '../../src/index.ts'
import type { AnyWatermark } from '../../src/watermark.ts'
import { asPublished } from '../../src/watermarks/reference.ts'

export interface Implementation {
  readonly name: string
  readonly source: string
  readonly watermark: AnyWatermark
  /** The watermark with the published p-value; undefined where the implementation has no detector with one. */
  readonly published: AnyWatermark | undefined
  /** Writes a 32-bit integer as a key of the implementation. */
  keyOf(value: number): string
  /** The length of a key as it is given, and two different keys that draw the same, where there are such. */
  readonly bits: number
  readonly twins?: readonly [string, string]
  /** Read in the source, not computed. */
  readonly speculation: string
  readonly batches: string
  /** The methods among which texts are tried on each other's detectors. */
  readonly family: 'gumbel' | 'green' | 'bits'
}

const decimal = String
const hex = (value: number): string => value.toString(16)
const layers = (count: number) => (value: number) =>
  Array.from({ length: count }, (_, l) => (value + 977 * l) % 2 ** 31).join(', ')
const own = 'not checked'
const LAYERS = 8

export const implementations: readonly Implementation[] = [
  {
    ...{ name: 'uwbench `gumbel`', source: 'this package', family: 'gumbel', keyOf: decimal, bits: 256 },
    ...{
      watermark: gumbel(),
      published: gumbel(),
      speculation: 'not offered',
      batches: 'each row is a text of its own (`watermarkProcessor`)',
    },
  },
  {
    ...{ name: 'vLLM `gumbel`', source: '#54053', family: 'gumbel', keyOf: decimal, bits: 64 },
    ...{ watermark: asPublished(gumbel(), 'vllm'), published: asPublished(gumbel(), 'vllm') },
    ...{ speculation: 'refused, or only recovery and bonus tokens marked', batches: own },
  },
  {
    ...{ name: 'vLLM `gumbel`, HMAC', source: 'early builds of #54053', family: 'gumbel', bits: 256 },
    ...{ watermark: asPublished(gumbel(), 'vllm-hmac'), published: asPublished(gumbel(), 'vllm-hmac') },
    ...{ keyOf: decimal, speculation: 'refused', batches: own },
  },
  {
    ...{ name: 'vLLM `dual_key_gumbel`', source: '#56122', family: 'gumbel', keyOf: decimal, bits: 64 },
    watermark: asPublished(dualKeyGumbel(), 'vllm'),
    published: dualKeyGumbel({ codes: 'vllm', detector: 'published' }),
    ...{
      speculation: 'drafts key A, recovery and bonus tokens key B; the detector keeps its weight',
      batches: own,
    },
  },
  {
    ...{ name: 'vLLM `synthid_text`', source: 'in review', family: 'bits', keyOf: decimal, bits: 64 },
    watermark: asPublished(synthid({ layers: LAYERS }), 'vllm'),
    published: asPublished(synthid({ layers: LAYERS }), 'vllm'),
    ...{ speculation: 'refused', batches: own },
  },
  {
    ...{ name: 'vLLM `red_green`', source: 'a branch', family: 'green', keyOf: decimal, bits: 64 },
    watermark: asPublished(kgw({ delta: 2, gamma: 0.25 }), 'vllm'),
    published: asPublished(kgw({ delta: 2, gamma: 0.25 }), 'vllm'),
    ...{ speculation: 'not known', batches: own },
  },
  {
    ...{ name: 'vLLM `sbw` selfhash', source: '#56859', family: 'green', keyOf: decimal, bits: 63 },
    watermark: asPublished(kgw({ delta: 2 }), 'vllm-sbw'),
    published: asPublished(kgw({ delta: 2, detector: 'published' }), 'vllm-sbw'),
    ...{ speculation: 'not known', batches: own },
  },
  {
    ...{ name: 'SGLang', source: '#37577', family: 'gumbel', keyOf: hex, bits: 64 },
    ...{ watermark: asPublished(gumbel(), 'sglang'), published: asPublished(gumbel(), 'sglang') },
    ...{ twins: ['0123456789abcdef', 'b3857b36'], speculation: 'not known', batches: own },
  },
  {
    ...{
      name: 'TextSeal `gumbelmax`',
      source: 'snapshot 2c63fb8; SGLang #37568',
      family: 'gumbel',
      bits: 62,
    },
    ...{ watermark: asPublished(gumbel(), 'textseal'), published: asPublished(gumbel(), 'textseal') },
    ...{ keyOf: decimal, speculation: "not the target's law: drafts are of the top-p law", batches: own },
  },
  {
    ...{
      name: 'TextSeal `textseal`',
      source: 'snapshot 2c63fb8',
      family: 'gumbel',
      keyOf: decimal,
      bits: 62,
    },
    watermark: asPublished(dualKeyGumbel(), 'textseal'),
    published: dualKeyGumbel({ codes: 'textseal', detector: 'published' }),
    ...{ speculation: "drafts key A, rejections key B; not the target's law", batches: own },
  },
  {
    ...{
      name: 'TextSeal `greenlist`',
      source: 'snapshot 2c63fb8',
      family: 'green',
      keyOf: decimal,
      bits: 62,
    },
    watermark: asPublished(kgw({ delta: 2 }), 'textseal'),
    published: asPublished(kgw({ delta: 2, detector: 'published' }), 'textseal'),
    ...{ speculation: 'not known', batches: own },
  },
  {
    ...{ name: 'TextSeal `synthid`', source: 'snapshot 2c63fb8', family: 'bits', keyOf: decimal, bits: 62 },
    watermark: asPublished(synthid({ layers: LAYERS }), 'textseal'),
    published: asPublished(synthid({ layers: LAYERS }), 'textseal'),
    ...{ speculation: 'not known', batches: own },
  },
  {
    ...{ name: 'TGI', source: '3.3.7', family: 'green', keyOf: () => '15485863', bits: 0 },
    ...{ watermark: asPublished(kgw({ delta: 2 }), 'tgi'), published: undefined },
    speculation: 'all positions of a block have the context of the first',
    batches: 'no: shorter rows are seeded with token 0',
  },
  {
    ...{ name: 'Transformers KGW', source: 'left hash', family: 'green', keyOf: decimal, bits: 64 },
    watermark: kgw({ delta: 2, codes: 'reference', contexts: 'published' }),
    published: kgw({ delta: 2, codes: 'reference', contexts: 'published', detector: 'published' }),
    ...{ twins: ['15485863', String(15485863 + 2 ** 32)], speculation: 'not known', batches: own },
  },
  {
    ...{ name: 'llama.cpp SynthID', source: '#28350', family: 'bits', keyOf: layers(LAYERS), bits: 64 },
    ...{ watermark: asPublished(synthid({ layers: LAYERS }), 'llama.cpp'), published: undefined },
    twins: [layers(LAYERS)(5), layers(LAYERS)(5 + 65_536)],
    ...{ speculation: 'not known', batches: own },
  },
  {
    ...{ name: 'Transformers SynthID', source: 'its table', family: 'bits', keyOf: layers(LAYERS), bits: 64 },
    watermark: synthid({ layers: LAYERS, codes: 'reference', contexts: 'published' }),
    published: undefined,
    twins: [layers(LAYERS)(5), layers(LAYERS)(5 + 65_536)],
    ...{ speculation: 'not known', batches: own },
  },
]
