/**
 * The laws on the fast path. Their vocabularies are so small that the plain kernels serve them; here the compiled ones do, at
 * every size: float32 inside a kernel, or a vector's end, must not make a watermark biased. Compiled and plain kernels agree to
 * rounding (spec/kernels), so the sampled laws need only look for a bias of 0.1.
 */
import { afterEach, describe, expect, test } from 'vitest'
import { platform, useKernels } from '../../src/core/kernels/active.ts'
import { type Kernels, plain } from '../../src/core/kernels/table.ts'
import { type CheckOptions, checkWatermark, renderFailure } from '../../src/gate/laws/entry.ts'
import {
  type AnyWatermark,
  christ,
  deltaReweight,
  dipmark,
  gumbel,
  itsEdit,
  mcmark,
  sta1,
  synthid,
} from '../../src/watermarks/entry.ts'
import { law } from '../mutants/mutant.ts'

const laws = [law.distribution, law.deterministic, law.orbit, law.honest, law.keys, law.nullLaw]
const wasm = platform()

let restore = (): void => {}
afterEach(() => restore())

/** The laws that reject a watermark. */
async function rejectedBy(watermark: AnyWatermark, options: CheckOptions): Promise<string[]> {
  const results = await checkWatermark(watermark, options)
  return results
    .filter(({ verdict }) => verdict === 'fails')
    .map((result) => renderFailure(watermark, result))
}

/** The same kernels, which note those that are given fewer elements than the choice by size would let them have. */
function watched(kernels: Kernels, seen: Set<string>): Kernels {
  const watch = (name: string, run: unknown): unknown =>
    typeof run !== 'function'
      ? run
      : (...args: { length: number }[]): unknown => {
          if (args[0]!.length < 64) seen.add(name)
          return run(...args)
        }
  return Object.fromEntries(
    Object.entries(kernels).map(([name, run]) => [name, watch(name, run)]),
  ) as unknown as Kernels
}

/** One watermark of each family, and the kernels that it owes its q or its evidence to. */
const families: [AnyWatermark, (keyof Kernels)[]][] = [
  [dipmark({ alpha: 0.4 }), ['fill', 'classMass', 'inBucket', 'orderScale']],
  [deltaReweight(), ['fill', 'classMass', 'inBucket']],
  [sta1(), ['fill', 'greenMass', 'greenScale']],
  [mcmark({ channels: 20 }), ['fill', 'remainders', 'classMass', 'classScale']],
  [synthid({ layers: 4 }), ['fill', 'classMass', 'classScale']],
  [gumbel(), ['fill', 'nextRunner']],
  [itsEdit(), ['fill', 'classMass', 'inBucket', 'total']],
  [christ(), ['bitScores']],
]

describe('the laws hold with compiled kernels at every size', () => {
  test.each(families.map(([watermark, kernels]) => [watermark.id, watermark, kernels] as const))(
    '%s',
    async (_, watermark, kernels) => {
      const seen = new Set<string>()
      restore = useKernels(watched(wasm, seen))
      expect(await rejectedBy(watermark, { laws, bias: 0.1 })).toEqual([])
      expect([...seen]).toEqual(expect.arrayContaining(kernels))
    },
  )
})

/** p with its values rounded to float32. */
const rounded = (p: Float64Array): Float64Array => p.map(Math.fround)

const mistakes: [mistake: string, Partial<Kernels>, AnyWatermark, rejectedBy: string[]][] = [
  [
    'masses scaled in float32',
    {
      greenScale: (p, words, shift, threshold, green, red, q) => {
        wasm.greenScale(p, words, shift, threshold, green, red, q)
        q.set(rounded(q))
      },
    },
    sta1(),
    [law.distribution, law.orbit],
  ],
  [
    'the mass of green tokens in float32',
    {
      greenMass: (p, words, shift, threshold) =>
        Math.fround(wasm.greenMass(rounded(p), words, shift, threshold)),
    },
    sta1(),
    [law.distribution, law.orbit],
  ],
  [
    'the mass of classes in float32',
    {
      classMass: (p, words, shift, mass) => {
        wasm.classMass(p, words, shift, mass)
        mass.set(rounded(mass))
      },
    },
    synthid({ layers: 4 }),
    [law.distribution, law.orbit],
  ],
  [
    'words compared as signed numbers',
    {
      orderScale: (p, words, low, high, l, h, q) =>
        plain.orderScale(
          p,
          words.map((w) => w ^ (2 ** 31)),
          low,
          high,
          l,
          h,
          q,
        ),
    },
    dipmark({ alpha: 0.4 }),
    [law.distribution],
  ],
  [
    'the factor of the class beside',
    { classScale: (p, words, shift, factor, q) => wasm.classScale(p, words, shift + 1, factor, q) },
    synthid({ layers: 4 }),
    [law.distribution, law.orbit, law.keys],
  ],
  [
    'a bucket without its last token',
    { inBucket: (words, shift, bucket, ids) => wasm.inBucket(words.subarray(0, -1), shift, bucket, ids) },
    deltaReweight(),
    [law.keys],
  ],
  [
    'a runner ruled out too early',
    { nextRunner: (p, words, from, best) => wasm.nextRunner(p, words, from, best * 0.5) },
    gumbel(),
    [law.keys],
  ],
  [
    'the last word repeats the one before',
    {
      fill: (out, ...keys) => {
        wasm.fill(out, ...keys)
        out[out.length - 1] = out[out.length - 2]!
      },
    },
    gumbel(),
    [law.keys],
  ],
]

describe('and reject kernels with a mistake', () => {
  test.each(mistakes)('%s', async (_, mistake, watermark, names) => {
    restore = useKernels({ ...wasm, ...mistake })
    // those that only sampling finds have a bias of 0.1 and more, which is missed with probability below 1e-9
    for (const name of names)
      expect(await rejectedBy(watermark, { laws: [name], miss: 1e-9 }), name).toHaveLength(1)
  })
})
